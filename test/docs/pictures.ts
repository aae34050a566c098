import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What imports or is built on what: name → names. */
export type Graph = Map<string, Set<string>>;

/** The Mermaid picture of a page that begins with the comment `%% name`. */
export function picture(page: string, name: string): string {
  const found = [...page.matchAll(/```mermaid\n([\s\S]*?)```/g)].find(([, text]) =>
    text?.startsWith(`%% ${name}\n`),
  );
  if (!found?.[1]) throw new Error(`no picture ${name}`);
  return found[1];
}

/** Nodes and arrows of a flowchart without labels on its arrows. */
export function flowchart(text: string): Graph {
  const graph: Graph = new Map();
  const node = (name: string) => {
    const arrows = graph.get(name) ?? new Set();
    graph.set(name, arrows);
    return arrows;
  };
  for (const line of text.split('\n').slice(2)) {
    const [from, ...to] = line.split('-->').map((part) => part.trim().replace(/\[.*$/, ''));
    if (!from) continue;
    let last = from;
    node(last);
    for (const next of to) {
      node(last).add(next);
      node(next);
      last = next;
    }
  }
  return graph;
}

/** All that is reached from a node by arrows. */
function reached(graph: Graph, from: string): Set<string> {
  const found = new Set<string>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of graph.get(at) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  }
  return found;
}

/** What a picture gets wrong: nodes, arrows that are no import, imports that no way of arrows leads to. */
export function mistakes(drawn: Graph, imports: Graph): string[] {
  const found: string[] = [];
  for (const name of imports.keys()) if (!drawn.has(name)) found.push(`${name} is not drawn`);
  for (const [from, arrows] of drawn) {
    if (!imports.has(from)) found.push(`${from} does not exist`);
    for (const to of arrows) {
      if (!imports.get(from)?.has(to)) found.push(`${from} does not import ${to}`);
    }
  }
  for (const [from, to] of imports) {
    const ways = reached(drawn, from);
    for (const each of to) if (!ways.has(each)) found.push(`${from} imports ${each}, which is not drawn`);
  }
  return found;
}

/** The imports of TypeScript files between the parts of the product that `partOf` tells apart; null is no part. */
export function importsBetween(
  root: string,
  folders: readonly string[],
  partOf: (file: string) => string | null,
): Graph {
  const graph: Graph = new Map();
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
      const file = join(entry.parentPath.slice(root.length), entry.name);
      const part = partOf(file);
      if (part === null) continue;
      const targets = graph.get(part) ?? new Set();
      graph.set(part, targets);
      const text = readFileSync(join(root, file), 'utf8');
      for (const [, source = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
        const other = partOf(normalize(join(dirname(file), source)));
        if (other !== null && other !== part) targets.add(other);
      }
    }
  }
  return graph;
}
