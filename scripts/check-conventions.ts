/**
 * Checks three conventions, for which there is no tool on the registry, in all of our files. Prints each violation with
 * file and line, and then exits with 1.
 *
 * - No reference that a reader of this repository cannot follow: documents outside of it, numbers of sections, parts and
 *   issues, papers without a link.
 * - Module constants with a literal number or text are in capitals.
 * - A file of TypeScript has at most 400 lines.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Third-party texts and recordings. */
const NOT_OURS = /^(?:LICENSE|package-lock\.json|test\/histories\/)/;

/** Our programs. Tests, and flows for editors to copy, may use any names. */
const CODE = /^(?!test\/|config\/).*\.(?:tsx?|mjs)$/;

const LONGEST_FILE = 400;

/** Separator between two words of a reference: spaces, or a line break followed by a comment marker. */
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

/** The references in a text that its reader cannot follow. */
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

/** Declaration of a module constant with a literal number or text, with its name captured. */
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

/** The violations in all files under `root`, each as `file:line: description`. */
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
      ...(/\.tsx?$/.test(file) ? lengthProblem(text) : []).map((problem) => `${file}: ${problem}`),
      ...(CODE.test(file) ? smallConstants(text) : []).map(
        ({ line, name }) => `${file}:${line}: ${name} is a fixed number or text; write its name in capitals`,
      ),
    ];
  });
}

/** The problem with a file that is too long, if any. */
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
