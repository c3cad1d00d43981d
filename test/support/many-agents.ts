// Reports very many agents to a running hub, fifty per request.
const AT_ONCE = 50;

/** From `agent-000000` on, all idle. */
export async function reportMany(url: string, networkToken: string, count: number): Promise<void> {
  for (let start = 0; start < count; start += AT_ONCE) {
    const calls = Array.from({ length: Math.min(AT_ONCE, count - start) }, (_, index) => reportOf(start + index));
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${networkToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(calls),
    });
    if (response.status !== 200) throw new Error(`the reports returned ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  }
}

export const aliasOf = (index: number): string => `agent-${String(index).padStart(6, '0')}`;

function reportOf(index: number): object {
  const args = { resume_id: `r${index}`, alias: aliasOf(index), status: 'idle' };
  return { jsonrpc: '2.0', id: index, method: 'tools/call', params: { name: 'report_status', arguments: args } };
}
