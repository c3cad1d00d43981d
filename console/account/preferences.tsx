// Theme and language settings.
import { chooseTheme, THEMES, theme } from '../frame/theme.ts';
import { chooseLanguage, LANGUAGES, language, words } from '../i18n/language.ts';
import { Choice } from '../parts/choice.tsx';

const LANGUAGE_OPTIONS = [
  { value: 'en', label: LANGUAGES.en, lang: 'en' },
  { value: 'zh-CN', label: LANGUAGES['zh-CN'], lang: 'zh-CN' },
] as const;

export function Preferences() {
  const { frame } = words.value;
  const themes = THEMES.map((value) => ({ value, label: frame.themes[value] }));
  return (
    <div class="preferences">
      <Choice name="theme" legend={frame.theme} options={themes} chosen={theme.value} onChoose={chooseTheme} />
      <Choice
        name="language"
        legend={frame.language}
        options={LANGUAGE_OPTIONS}
        chosen={language.value}
        onChoose={(chosen) => void chooseLanguage(chosen)}
      />
    </div>
  );
}
