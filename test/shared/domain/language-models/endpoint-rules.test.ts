import { expect, test } from 'vitest';
import { endpointOf } from '../../../../shared/domain/language-models/endpoint-rules.ts';

const lab = { url: 'https://models.lab.example/v1/', keyVariable: 'LAB_KEY' };
const odd = { url: 'not an address', keyVariable: 'ODD_KEY' };

test('a model without an address uses that of its provider', () => {
  expect(endpointOf({ provider: 'openai', base_url: '' }, [lab])).toEqual({
    url: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
  });
  expect(endpointOf({ provider: 'anthropic', base_url: '' }, [])).toEqual({
    url: 'https://api.anthropic.com/v1',
    keyVariable: 'ANTHROPIC_API_KEY',
  });
  expect(endpointOf({ provider: 'ollama', base_url: '' }, [])).toEqual({
    url: 'http://127.0.0.1:11434/v1',
    keyVariable: null,
  });
});

test('an allowed address is found in any spelling', () => {
  for (const base_url of ['https://models.lab.example/v1', 'HTTPS://Models.lab.example:443/v1//'])
    expect(endpointOf({ provider: 'openai', base_url }, [odd, lab])).toBe(lab);
  expect(endpointOf({ provider: 'ollama', base_url: odd.url }, [lab, odd])).toBe(odd);
});

test('the address of the provider may also be named', () => {
  const url = 'https://api.openai.com/v1/';
  expect(endpointOf({ provider: 'openai', base_url: url }, [lab])?.keyVariable).toBe('OPENAI_API_KEY');
});

test('no other address gets a key', () => {
  for (const base_url of [
    'https://elsewhere.example/v1',
    'https://api.openai.com/v1',
    'https://models.lab.example/v2',
  ])
    expect(endpointOf({ provider: 'ollama', base_url }, [lab])).toBeNull();
});

test('the built-in rules need neither address nor key', () => {
  expect(endpointOf({ provider: 'rules', base_url: 'https://elsewhere.example' }, [])).toEqual({
    url: '',
    keyVariable: null,
  });
});
