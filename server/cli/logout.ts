// logout: takes the stored tokens back at the hub and removes the file.
import { credentialsFile, forget, readStored } from './credentials.ts';
import { hubClient } from './hub-client.ts';
import { revoke } from './login.ts';
import { note, oneLine, say } from './output.ts';

/** Signed out here even when the hub is away; its tokens then last until they are revoked or run out. */
export async function logout(): Promise<void> {
  const stored = readStored();
  const left = stored === undefined ? [] : await revoke(hubClient(stored.url, stored.user_token), stored);
  forget();
  if (left.length > 0) note(`the hub could not be told, and goes on taking ${left.join(' and ')}; agenthub token revoke on its machine ends them`);
  say(stored === undefined ? 'nobody was signed in' : oneLine(`signed out of ${stored.url}; removed ${credentialsFile()}`));
}
