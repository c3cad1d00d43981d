// Sends one request to the hub and throws a single error type. Success responses are trusted because the same hub
// served this page. Error responses are parsed defensively, because a proxy may have sent them.

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Query = Record<string, string | number | undefined>;
export type RequestOptions = { token?: string | undefined; query?: Query; body?: object; signal?: AbortSignal };

export class RequestError extends Error {
  /** 0 when there was no response. */
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, code: string, message: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.name = 'RequestError';
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export async function request<Answer>(method: Method, path: string, options: RequestOptions = {}): Promise<Answer> {
  const response = await send(method, path, options);
  if (!response.ok) throw await refusal(response);
  const answer: Answer = await response.json();
  return answer;
}

async function send(method: string, path: string, { token, query, body, signal }: RequestOptions): Promise<Response> {
  try {
    return await fetch(withQuery(path, query ?? {}), {
      method,
      cache: 'no-store',
      credentials: 'omit',
      headers: { ...bearer(token), ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (cause) {
    throw new RequestError(0, 'unreachable', String(cause));
  }
}

export function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

export function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search.size === 0 ? path : `${path}?${search}`;
}

async function refusal(response: Response): Promise<RequestError> {
  const body: unknown = await response.json().catch(() => null);
  const code = textMember(body, 'error') ?? 'unknown';
  const message = textMember(body, 'message') ?? `${response.status} ${response.statusText}`;
  return new RequestError(response.status, code, message, seconds(response.headers.get('Retry-After')));
}

function textMember(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : undefined;
}

function seconds(header: string | null): number | null {
  const value = Number(header ?? Number.NaN);
  return Number.isFinite(value) ? Math.ceil(value) : null;
}
