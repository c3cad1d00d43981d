// The bytes of the requests that the bench sends over its own connections.

/** A GET with the token as bearer. */
export function getRequest(token: string, path: string): string {
  return `${head('GET', path, token)}\r\n\r\n`;
}

/** A POST of JSON with the token as bearer. */
export function postRequest(token: string, path: string, body: string): string {
  const length = Buffer.byteLength(body);
  const lines = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Content-Length: ${length}`,
  ];
  return `${[head('POST', path, token), ...lines].join('\r\n')}\r\n\r\n${body}`;
}

function head(method: string, path: string, token: string): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${token}`].join('\r\n');
}
