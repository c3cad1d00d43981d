import { beforeEach, describe, expect, test, vi } from 'vitest';
import { beginSession } from '../../../console/account/account.ts';
import { filledIn, placeholdersIn } from '../../../console/templates/placeholders.ts';
import { deleteTemplate, listTemplates, saveTemplate } from '../../../console/templates/templates.ts';

const user = { user_id: 'u', username: 'ada', display_name: 'Ada', role: 'user' } as const;
const template = { name: 'Review', text: 'Review {{branch}}', context: '', priority: 'high', ttl: '900' };

describe('placeholders', () => {
  test.each([
    ['Review {{branch}} of {{ repository }}, {{branch}}', ['branch', 'repository']],
    ['nothing {here}, {{}}, {{ }} or {{a\nb}}', []],
    ['$' + '{{ secrets.KEY }}', []],
    ['{{分支}}', ['分支']],
    ['{{__proto__}}', ['__proto__']],
  ])('in %j', (text, names) => {
    expect(placeholdersIn(text)).toEqual(names);
  });

  test('are filled in once: a value stays as it is', () => {
    expect(filledIn('{{a}} and {{ b }} and {{c}}', { a: '{{b}} $&', b: '2' })).toBe('{{b}} $& and 2 and {{c}}');
  });

  test('take no values from the prototype of the record', () => {
    expect(filledIn('{{constructor}}', {})).toBe('{{constructor}}');
  });
});

describe('templates', () => {
  let stored: Map<string, string>;
  beforeEach(() => {
    stored = new Map();
    const storage = {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    };
    vi.stubGlobal('window', { localStorage: storage, sessionStorage: storage });
    beginSession({ token: 'utok_x', user, network_id: 'net_1' }, false);
    return () => vi.unstubAllGlobals();
  });

  test('are listed by name, replaced by name, and deleted', () => {
    saveTemplate({ ...template, name: 'Second' });
    saveTemplate(template);
    saveTemplate({ ...template, text: 'Other' });
    expect(listTemplates().map(({ name, text }) => [name, text])).toEqual([
      ['Review', 'Other'],
      ['Second', 'Review {{branch}}'],
    ]);
    deleteTemplate('Review');
    expect(listTemplates().map(({ name }) => name)).toEqual(['Second']);
  });

  test('belong to one user in one network', () => {
    saveTemplate(template);
    beginSession({ token: 'utok_x', user, network_id: 'net_2' }, false);
    expect(listTemplates()).toEqual([]);
    beginSession({ token: 'utok_y', user: { ...user, user_id: 'other' }, network_id: 'net_1' }, false);
    expect(listTemplates()).toEqual([]);
    beginSession({ token: 'utok_z', user, network_id: 'net_1' }, false);
    expect(listTemplates()).toEqual([template]);
  });

  test.each(['', '{', 'null', '{"name":"x"}', '[1, null, {"name":"x"}]'])('survive the storage holding %j', (text) => {
    stored.set('agenthub.templates.u.net_1', text);
    expect(listTemplates()).toEqual([]);
    saveTemplate(template);
    expect(listTemplates()).toEqual([template]);
  });
});
