import { Document, isMap, isScalar, Pair, parseDocument, Scalar, type YAMLMap } from 'yaml';
import { unitConversion } from '../../science/conventions/unit-table.ts';
import { ConfigurationError } from '../configuration/errors.ts';
import { parameterFile } from './parameter-files.ts';

/** A value to write to a parameter file. */
export interface FileValue {
  /** Name of the file, such as `t1.yaml`. */
  file: string;
  qid: string;
  /** The qubit's label, used if the file does not contain it yet: `Q07`. */
  label: string;
  value: number;
  unit: string;
  description: string;
}

/**
 * The text of a parameter file with one value changed; comments, order and everything else are kept. A qubit that is new to the
 * file is inserted by number; a missing file (null) is created.
 * @throws invalid_configuration for an invalid file, or one in another unit
 */
export function withFileValue(text: string | null, wanted: FileValue): string {
  if (text === null || text.trim() === '') return newFile(wanted);
  const { unit } = parameterFile(wanted.file, text);
  if (wanted.unit !== '' && !isSameUnit(unit, wanted.unit)) {
    throw new ConfigurationError(
      'invalid_configuration',
      `params/${wanted.file} is in ${unit}, the value in ${wanted.unit}.`,
    );
  }
  // First make a place for the value, then replace its digits, so that the library reformats the file at most once.
  return withDigits(withPlace(text, wanted), wanted);
}

function isSameUnit(given: string, wanted: string): boolean {
  const conversion = unitConversion(given, wanted);
  return 'factor' in conversion && conversion.factor === 1;
}

/** Why a text differs from another one in more than this value; null if it does not. */
export function editProblem(before: string | null, after: string, wanted: FileValue): string | null {
  const found = parameterFile(wanted.file, after).values;
  if (found.get(wanted.qid) !== wanted.value) return 'does not have the value';
  const kept = before === null || before.trim() === '' ? null : parameterFile(wanted.file, before).values;
  const names = new Set([...(kept?.keys() ?? []), ...found.keys()]);
  names.delete(wanted.qid);
  const changed = [...names].find((qid) => kept?.get(qid) !== found.get(qid));
  return changed === undefined ? null : `has another value of qubit ${changed} too`;
}

function newFile(wanted: FileValue): string {
  const { unit, description, label } = wanted;
  const document = new Document({ meta: { description, unit }, data: { [label]: 0 } });
  return withDigits(document.toString(), wanted);
}

/** The text, with the qubit's number inserted if it is missing. */
function withPlace(text: string, wanted: FileValue): string {
  const document = parseDocument(text);
  const data = document.get('data');
  if (!isMap(data)) {
    document.set('data', document.createNode({ [wanted.label]: 0 }));
    return document.toString({ lineWidth: 0 });
  }
  const pair = pairOf(data, wanted.qid);
  if (!pair) {
    const next = data.items.findIndex(({ key }) => numberOf(key) > Number(wanted.qid));
    const made = new Pair(new Scalar(wanted.label), new Scalar(0));
    data.items.splice(next < 0 ? data.items.length : next, 0, made);
    return document.toString({ lineWidth: 0 });
  }
  if (isPlainNumber(pair.value)) return text;
  const number = new Scalar(0);
  if (isScalar(pair.value)) number.comment = pair.value.comment;
  pair.value = number;
  return document.toString({ lineWidth: 0 });
}

/** The same text with the digits of the qubit's number replaced by those of the value. */
function withDigits(text: string, { qid, value }: FileValue): string {
  const data = parseDocument(text).get('data');
  const node = isMap(data) ? pairOf(data, qid)?.value : undefined;
  if (!isPlainNumber(node)) throw new Error('the value has no place in the file');
  const [start, end] = node.range ?? [0, 0];
  return `${text.slice(0, start)}${digitsOf(value)}${text.slice(end)}`;
}

function pairOf(data: YAMLMap, qid: string): Pair | undefined {
  return data.items.find(({ key }) => numberOf(key) === Number(qid));
}

/** The number of a qubit from its label. */
function numberOf(key: unknown): number {
  return Number(String(isScalar(key) ? key.value : key).replace(/^Q/i, ''));
}

/** A plain number that nothing else refers to, such as an alias. */
function isPlainNumber(node: unknown): node is Scalar<number> {
  return (
    isScalar(node) && typeof node.value === 'number' && node.anchor === undefined && node.tag === undefined
  );
}

/** Readable by labs' programs as well: in YAML 1.1 `5e-7` is a string and `5.0e-7` a number. */
function digitsOf(value: number): string {
  return String(value).replace(/^(-?\d+)e/, '$1.0e');
}
