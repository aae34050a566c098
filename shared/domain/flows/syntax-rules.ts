import type { AnyNode, ArrowFunctionExpression, FunctionDeclaration, FunctionExpression, Node } from 'acorn';

export type AnyFunction = FunctionDeclaration | FunctionExpression | ArrowFunctionExpression;

/** The line of a node; requires that acorn recorded locations. */
export function lineOf(node: Node): number {
  return node.loc?.start.line ?? 1;
}

export function isFunction(node: AnyNode | null | undefined): node is AnyFunction {
  return (
    node?.type === 'FunctionDeclaration' ||
    node?.type === 'FunctionExpression' ||
    node?.type === 'ArrowFunctionExpression'
  );
}

/** The value of a string literal: 'a', or `a` without substitutions. */
export function literalText(node: AnyNode | null | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) {
    return node.quasis[0]?.value.cooked ?? undefined;
  }
  return undefined;
}

/** The name of a property written as `name:` or `'name':`. */
export function propertyName(key: AnyNode, computed: boolean): string | undefined {
  if (!computed && key.type === 'Identifier') return key.name;
  return literalText(key);
}
