/**
 * Three habits that no tool on the registry checks, over every file of ours. Prints each breach with file and line; exits
 * with 1.
 *
 * - No reference that a reader of this repository cannot follow: documents that it does not hold, numbers of sections,
 *   parts and issues, papers without a link.
 * - A fixed number or text of a module is in capitals.
 * - A file of TypeScript has at most 400 lines.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Texts of others, and recordings. */
const NOT_OURS = /^(?:LICENSE|package-lock\.json|test\/histories\/)/;

/** Our programs; tests and the flows that editors copy name things as they like. */
const CODE = /^(?!test\/|config\/).*\.(?:ts|mjs)$/;

const LONGEST_FILE = 400;

/** What may stand between two words of a reference: a space, or the end of a line and the next one's comment sign. */
const GAP = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:\*|\/\/|#|>|--)?[ \t]*)`;
const MONTH = '(?:January|February|March|April|May|June|July|August|September|October|November|December)';
const NAME = String.raw`(?!${MONTH}\b)\p{Lu}[\p{L}'’-]+`;
const AUTHORS = `${NAME}(?:(?:,|${GAP}and|${GAP}&)${GAP}${NAME})*`;
const YEAR = String.raw`(?:18|19|20)\d\d`;

const references: readonly { pattern: string; of: string }[] = [
  { pattern: String.raw`\bfacts[-,] ?[a-z]`, of: 'a document that is not here' },
  { pattern: String.raw`\b[Pp]art${GAP}[A-C]\b`, of: 'a document that is not here' },
  { pattern: String.raw`\b[Dd]esign,?${GAP}(?:section${GAP})?\d`, of: 'a document that is not here' },
  { pattern: String.raw`\b(?:design|style|brief|temporal)\.md\b`, of: 'a document that is not here' },
  { pattern: String.raw`\b[Ss]pec(?:ification)?${GAP}(?:README|part)\b`, of: 'a document that is not here' },
  { pattern: String.raw`\bOurs${GAP}alone\b`, of: 'a document that is not here' },
  { pattern: String.raw`\b[Ss]ection${GAP}\d|\u{a7}`, of: 'a section by its number' },
  { pattern: String.raw`(?<!/)\b[Ii]ssues?${GAP}#?\d`, of: 'an issue by its number' },
  { pattern: String.raw`\bet${GAP}al\b`, of: 'a paper without a link' },
  {
    pattern: String.raw`\b(?:PR[LABX]|PRX${GAP}Quantum|APL|NJP|Phys\.|Rev\.)${GAP}\d`,
    of: 'a paper without a link',
  },
  {
    pattern: `${NAME}${GAP}and${GAP}${NAME}(?:,[^.]{0,80}\\b${YEAR}|${GAP}\\d)`,
    of: 'a paper without a link',
  },
  { pattern: String.raw`\barXiv:`, of: 'a paper without a link' },
  { pattern: String.raw`\(${AUTHORS},?${GAP}${YEAR}\b`, of: 'a paper without a link' },
  { pattern: String.raw`${NAME}${GAP}\(${YEAR}\)`, of: 'a paper without a link' },
];

export interface Reference {
  line: number;
  text: string;
  of: string;
}

/** The references of a text that its reader cannot follow. */
export function closedReferences(text: string): Reference[] {
  return references
    .flatMap(({ pattern, of }) =>
      [...text.matchAll(new RegExp(pattern, 'gu'))].map((match) => ({
        line: lineAt(text, match.index),
        text: match[0].replace(/\s+/g, ' '),
        of,
      })),
    )
    .sort((one, other) => one.line - other.line);
}

/** A module's constant that is a plain number or text, from its name to its end. */
const LITERAL_CONSTANT =
  /^(?:export )?const ([a-z]\w*)(?:: (?:number|string))? = (?:-?\d[\d_.e]*(?: *(?:\*\*|[*/+-]) *-?[\d_.e()]+)*|'[^'\n]*'|"[^"\n]*"|`[^`$\n]*`)(?: as const)?;/gm;

/** Constants of a TypeScript module that should be in capitals. */
export function smallConstants(text: string): { line: number; name: string }[] {
  return [...text.matchAll(LITERAL_CONSTANT)].map((match) => ({
    line: lineAt(text, match.index),
    name: match[1] ?? '',
  }));
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** Files that git knows or would add, from the root. */
function ownFiles(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\0').filter((file) => file !== '' && !NOT_OURS.test(file));
}

/** The breaches in all files under `root`, each as `file:line: what it is`. */
export function breaches(root: string): string[] {
  return ownFiles(root).flatMap((file) => {
    const path = `${root}/${file}`;
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return [];
    const bytes = readFileSync(path);
    if (bytes.includes(0)) return [];
    const text = bytes.toString('utf8');
    return [
      ...closedReferences(text).map(
        (found) =>
          `${file}:${found.line}: "${found.text}" is ${found.of}; say the fact itself or give an https link`,
      ),
      ...(file.endsWith('.ts') ? lengthProblem(text) : []).map((problem) => `${file}: ${problem}`),
      ...(CODE.test(file) ? smallConstants(text) : []).map(
        ({ line, name }) => `${file}:${line}: ${name} is a fixed number or text; write its name in capitals`,
      ),
    ];
  });
}

/** What is wrong with the length of a file's text. */
export function lengthProblem(text: string): string[] {
  const lines = text.split('\n').length - 1;
  return lines > LONGEST_FILE ? [`${lines} lines; split it by meaning (limit ${LONGEST_FILE})`] : [];
}

function main(): void {
  const found = breaches(fileURLToPath(new URL('..', import.meta.url)));
  for (const breach of found) console.error(breach);
  if (found.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
