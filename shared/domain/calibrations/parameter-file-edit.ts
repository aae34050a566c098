import { Document, isMap, isScalar, Pair, parseDocument, Scalar, type YAMLMap } from 'yaml';
import { CalibronError } from '../../kernel/errors.ts';
import { unitConversion } from '../../science/conventions/unit-table.ts';
import { parameterFile } from './parameter-files.ts';

/** A value for a parameter file. */
export interface FileValue {
  /** Name of the file, such as `t1.yaml`. */
  file: string;
  qid: string;
  /** The qubit's label where the file has none of it yet: `Q07`. */
  label: string;
  value: number;
  unit: string;
  description: string;
}

/**
 * The text of a parameter file with one value changed; comments, order and everything else stay. A qubit that is new
 * to the file gets its place by number, a file that is not there (null) is made.
 * @throws invalid_configuration for a file with mistakes, or one in another unit
 */
export function withFileValue(text: string | null, wanted: FileValue): string {
  if (text === null || text.trim() === '') return newFile(wanted);
  const { unit } = parameterFile(wanted.file, text);
  if (wanted.unit !== '' && !isSameUnit(unit, wanted.unit)) {
    throw new CalibronError(
      'invalid_configuration',
      `params/${wanted.file} is in ${unit}, the value in ${wanted.unit}.`,
    );
  }
  // First a place for the value, then its digits: what is written anew by the library is written once.
  return withDigits(withPlace(text, wanted), wanted);
}

function isSameUnit(given: string, wanted: string): boolean {
  const conversion = unitConversion(given, wanted);
  return 'factor' in conversion && conversion.factor === 1;
}

/** Why a text is not another one with just this value changed; null when it is. */
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

/** A text in which the qubit has a number. */
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

/** The same text with the digits of the value in place of those of the qubit's number. */
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

/** The number of a qubit by its label. */
function numberOf(key: unknown): number {
  return Number(String(isScalar(key) ? key.value : key).replace(/^Q/i, ''));
}

/** A number that stands in its place by itself: nothing else refers to it. */
function isPlainNumber(node: unknown): node is Scalar<number> {
  return (
    isScalar(node) && typeof node.value === 'number' && node.anchor === undefined && node.tag === undefined
  );
}

/** As the programs of labs read it too: to YAML 1.1 `5e-7` is a text and `5.0e-7` a number. */
function digitsOf(value: number): string {
  return String(value).replace(/^(-?\d+)e/, '$1.0e');
}
