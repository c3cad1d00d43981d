// A block of code with its language and a button to copy it. Long lines scroll, also from the keyboard.
import { hasStyles } from '../../server/domain/text/controls.ts';
import { words } from '../i18n/language.ts';
import { CopyButton } from '../parts/copy.tsx';
import { diffLines } from './diff.ts';
import { codeParts } from './languages.ts';
import { Letters } from './letters.tsx';

type Code = { language: string; text: string };

export function CodeBlock({ language, text }: Code) {
  const { code } = words.value.text;
  return (
    <figure class="code">
      <figcaption class="code-head">
        <span>{language}</span>
        <CopyButton text={text} what={language === '' ? code : `${language} ${code}`} />
      </figcaption>
      <pre dir="ltr" tabIndex={0}>
        <code>
          <Colored language={language} text={text} />
        </code>
      </pre>
    </figure>
  );
}

function Colored({ language, text }: Code) {
  if (hasStyles(text)) return <Letters text={text} />;
  if (language === 'diff' || language === 'patch') return <Diff text={text} />;
  const parts = codeParts(text, language);
  if (parts === undefined) return <Letters text={text} />;
  return parts.map(({ text: part, role }, index) =>
    role === undefined ? (
      part
    ) : (
      <span key={index} class={`code-${role}`}>
        {part}
      </span>
    ),
  );
}

function Diff({ text }: { text: string }) {
  return diffLines(text).map(({ text: line, change }, index) => (
    <span key={index} class="diff-line" data-change={change}>
      {line}
    </span>
  ));
}
