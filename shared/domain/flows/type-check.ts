import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { nearestName } from '../../kernel/near-names.ts';
import { packageRoot } from '../../kernel/package-root.ts';
import type { FlowProblem } from './problem-model.ts';

const FLOW = '/flow.ts';
const SHIPPED = '/shipped/';
/** Maximum number of problems reported for a flow. */
const MAX_PROBLEMS = 20;

/** Diagnostics of the compiler about names that do not exist. Others may be about code that works. */
const UNKNOWN_MEMBER = new Set([2339, 2551]);
const UNKNOWN_OPTION = new Set([2353, 2561]);

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  lib: ['lib.es2023.d.ts'],
  strict: true,
  noImplicitAny: false,
  noEmit: true,
  skipLibCheck: true,
  types: [],
};

/** Parsed declarations, which are the same for every flow. */
const parsed = new Map<string, ts.SourceFile | undefined>();
let shippedNames: string[] | undefined;

function shippedFiles(): string[] {
  shippedNames ??= readdirSync(new URL('config/flows/', packageRoot)).filter((name) =>
    name.endsWith('.d.ts'),
  );
  return shippedNames.map((name) => `${SHIPPED}${name}`);
}

function declarationFile(name: string): ts.SourceFile | undefined {
  if (!parsed.has(name)) {
    const path = name.startsWith(SHIPPED)
      ? new URL(`config/flows/${name.slice(SHIPPED.length)}`, packageRoot)
      : name;
    const text = ts.sys.fileExists(name) || typeof path !== 'string' ? readFileSync(path, 'utf8') : undefined;
    parsed.set(
      name,
      text === undefined ? undefined : ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true),
    );
  }
  return parsed.get(name);
}

function programOf(flow: ts.SourceFile): ts.Program {
  const libraries = ts.getDefaultLibFilePath(options);
  const folder = libraries.slice(0, libraries.lastIndexOf('/') + 1);
  const isReadable = (name: string) => name.startsWith(SHIPPED) || name.startsWith(folder);
  const host: ts.CompilerHost = {
    getSourceFile: (name) => (name === FLOW ? flow : isReadable(name) ? declarationFile(name) : undefined),
    getDefaultLibFileName: () => libraries,
    getDefaultLibLocation: () => folder.slice(0, -1),
    fileExists: (name) => name === FLOW || (isReadable(name) && declarationFile(name) !== undefined),
    readFile: () => undefined,
    writeFile: () => {},
    getCurrentDirectory: () => '/',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
  };
  return ts.createProgram([FLOW, ...shippedFiles()], options, host);
}

/**
 * Names in a flow that the shipped declarations do not know: methods that are called on the session and what belongs to it,
 * and options of its calls. The session of the exported function has its type even if the flow does not write it. Everything
 * other diagnostic is ignored, because code that the compiler rejects may work; other code without types passes.
 */
export function unknownNameProblems(source: string): FlowProblem[] {
  const flow = ts.createSourceFile(FLOW, withSessionType(source), ts.ScriptTarget.ES2023, true);
  const program = programOf(flow);
  const checker = program.getTypeChecker();
  return program
    .getSemanticDiagnostics(flow)
    .flatMap(({ code, start = 0 }) => {
      const message = UNKNOWN_MEMBER.has(code)
        ? unknownMember(checker, nodeAt(flow, start))
        : UNKNOWN_OPTION.has(code)
          ? unknownOption(checker, nodeAt(flow, start))
          : undefined;
      return message === undefined
        ? []
        : [{ line: flow.getLineAndCharacterOfPosition(start).line + 1, message }];
    })
    .slice(0, MAX_PROBLEMS);
}

/** The source with the type of the session where its exported function gives none. No line moves. */
function withSessionType(source: string): string {
  const file = ts.createSourceFile(FLOW, source, ts.ScriptTarget.ES2023, true);
  const ends = file.statements.flatMap((statement) => {
    if (!ts.isFunctionDeclaration(statement)) return [];
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    const [session] = statement.parameters;
    const isPlain = session && !session.type && !session.initializer && !session.questionToken;
    return isExported && isPlain && !session.dotDotDotToken ? [session.name.getEnd()] : [];
  });
  return ends.reduceRight(
    (text, end) => `${text.slice(0, end)}: import('calibron').Session${text.slice(end)}`,
    source,
  );
}

/** The innermost node that begins at a position. */
function nodeAt(file: ts.SourceFile, start: number): ts.Node {
  let found: ts.Node = file;
  const visit = (node: ts.Node): void => {
    if (node.getStart(file) > start || node.getEnd() <= start) return;
    found = node;
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return found;
}

/** A member that is called, or from which another one is read: the flow fails there. Only reading it gives undefined. */
function unknownMember(checker: ts.TypeChecker, name: ts.Node): string | undefined {
  const access = name.parent;
  if (!ts.isIdentifier(name) || !ts.isPropertyAccessExpression(access) || access.name !== name) return;
  const use = access.parent;
  const isUsed =
    (ts.isCallExpression(use) || ts.isPropertyAccessExpression(use) || ts.isElementAccessExpression(use)) &&
    use.expression === access &&
    use.questionDotToken === undefined;
  const types = partsOf(checker.getTypeAtLocation(access.expression));
  if (!isUsed || !types.every(isShipped)) return;
  const known = namesOf(types);
  if (known.includes(name.text)) return;
  const [type] = types;
  return unknown(`${type?.symbol.name ?? 'the session'} has no "${shown(name.text)}"`, name.text, known);
}

function unknownOption(checker: ts.TypeChecker, name: ts.Node): string | undefined {
  const property = name.parent;
  if (!ts.isIdentifier(name) && !ts.isStringLiteral(name)) return;
  if (!ts.isPropertyAssignment(property) && !ts.isShorthandPropertyAssignment(property)) return;
  if (!ts.isObjectLiteralExpression(property.parent)) return;
  const expected = checker.getContextualType(property.parent);
  const types = (expected ? partsOf(expected) : []).filter(isShipped);
  const known = namesOf(types);
  if (types.length === 0 || known.includes(name.text)) return;
  return unknown(`unknown option "${shown(name.text)}"`, name.text, known);
}

/** Maximum number of characters of a name in a message. */
const NAME_CHARACTERS = 100;
const shown = (name: string) => (name.length > NAME_CHARACTERS ? `${name.slice(0, NAME_CHARACTERS)}…` : name);

function unknown(what: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined
    ? `${what}; it has ${known.join(', ')}`
    : `${what}; did you mean "${nearest}"?`;
}

const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

const namesOf = (types: readonly ts.Type[]): string[] => [
  ...new Set(types.flatMap((type) => type.getProperties().map(({ name }) => name))),
];

/** Whether a type is written out in the shipped declarations. Mapped types and those of the flow itself are not. */
function isShipped(type: ts.Type): boolean {
  const declarations = type.getSymbol()?.declarations ?? [];
  return (
    declarations.length > 0 &&
    declarations.every(
      (declaration) =>
        (ts.isInterfaceDeclaration(declaration) || ts.isTypeLiteralNode(declaration)) &&
        declaration.getSourceFile().fileName.startsWith(SHIPPED),
    )
  );
}
