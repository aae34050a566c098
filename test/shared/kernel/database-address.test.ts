import { expect, test } from 'vitest';
import { readSettings } from '../../../shared/domain/settings.ts';
import { databaseIn, weakeningOptions } from '../../../shared/kernel/database-address.ts';
import { SettingsError } from '../../../shared/kernel/secret-files.ts';

test.each([
  ['mongodb://a/?w=1', 'w=1 is not allowed, because writes must be acknowledged by a majority; remove it'],
  ['mongodb://a,b/lab?replicaSet=r&W=0', 'w=0 is not allowed, because'],
  ['mongodb://a/?journal=false', 'journal=false is not allowed, because writes must be in the journal'],
  ['mongodb://a/?j=false', 'j=false is not allowed'],
  ['mongodb+srv://a/?readPreference=secondaryPreferred', 'readPreference=secondaryPreferred is not allowed'],
  ['mongodb://a/?readconcernlevel=local', 'readConcernLevel=local is not allowed'],
])('the address %s is refused, and the option is named', (address, message) => {
  expect(weakeningOptions(address)).toEqual([expect.stringContaining(message)]);
  expect(() => readSettings({ MONGODB_URI: address })).toThrow(SettingsError);
  expect(() => readSettings({ MONGODB_URI: address })).toThrow(message);
});

test.each([
  'mongodb://a',
  'mongodb://user:p%3Fw=1@a,b/lab?replicaSet=r&w=majority&journal=true&readPreference=primary',
  'mongodb+srv://user@host/?retryWrites=true&readConcernLevel=majority&authSource=admin',
])('the address %s is accepted', (address) => {
  expect(weakeningOptions(address)).toEqual([]);
  expect(readSettings({ MONGODB_URI: address }).MONGODB_URI).toBe(address);
});

test('no message about an address contains its password', () => {
  const [message] = weakeningOptions('mongodb://user:secret@a/?w=1');
  expect(message).not.toContain('secret');
});

test.each([
  ['mongodb://a', null],
  ['mongodb://a/', null],
  ['mongodb://a/?replicaSet=r', null],
  ['mongodb://a:1,b:2/lab?replicaSet=r', 'lab'],
  ['mongodb+srv://user:pass%2Fword@a/my%20lab', 'my lab'],
])('the database that %s names is %s', (address, name) => {
  expect(databaseIn(address)).toBe(name);
});
