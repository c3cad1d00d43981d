// An address at which nothing stands.
import { words } from '../i18n/language.ts';
import { PATHS } from '../routes.ts';

export function Missing() {
  const { frame } = words.value;
  return (
    <div class="message-page">
      <h1>{frame.missingTitle}</h1>
      <p>{frame.missingText}</p>
      <a class="button button-primary" href={PATHS.live}>{frame.toLive}</a>
    </div>
  );
}
