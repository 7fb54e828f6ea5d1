import ts from 'typescript'
import type { ArgumentFact, CallFact } from './facts.ts'

/** A dotted name. The global object is left out, so `globalThis.fetch` is `fetch`, and `process['env']` is `process.env`. */
export function nameOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isPropertyAccessExpression(node)) return join(nameOf(node.expression), node.name.text)
  if (ts.isElementAccessExpression(node)) {
    const key = node.argumentExpression
    return join(nameOf(node.expression), ts.isStringLiteralLike(key) ? key.text : '[]')
  }
  if (ts.isCallExpression(node)) return `${nameOf(node.expression)}()`
  if (ts.isNewExpression(node)) return `new ${nameOf(node.expression)}()`
  if (isWrapper(node)) return nameOf(node.expression)
  if (ts.isAwaitExpression(node)) return nameOf(node.expression)
  if (node.kind === ts.SyntaxKind.ThisKeyword) return 'this'
  if (node.kind === ts.SyntaxKind.ImportKeyword) return 'import'
  if (ts.isMetaProperty(node)) return 'import.meta'
  return '?'
}

function join(object: string, property: string): string {
  return object === 'globalThis' || object === 'window' ? property : `${object}.${property}`
}

function isWrapper(node: ts.Node): node is ts.NonNullExpression | ts.ParenthesizedExpression | ts.AsExpression {
  return (
    ts.isNonNullExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node)
  )
}

export function argumentOf(node: ts.Expression, source: ts.SourceFile): ArgumentFact {
  if (ts.isNumericLiteral(node)) return { kind: 'number', text: node.text }
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return { kind: 'string', text: templateText(node) }
  if (ts.isIdentifier(node)) return { kind: 'name', text: node.text }
  const kind = ts.isArrowFunction(node) || ts.isFunctionExpression(node) ? 'function' : 'other'
  return { kind, text: source.text.slice(node.getStart(source), Math.min(node.end, node.pos + 200)) }
}

export function templateText(node: ts.StringLiteralLike | ts.TemplateExpression): string {
  if (!ts.isTemplateExpression(node)) return node.text
  return node.head.text + node.templateSpans.map(({ literal }) => `\${}${literal.text}`).join('')
}

/** What becomes of a call, followed up the chain of calls that hang on its result. */
export function contextOf(node: ts.Node): CallFact['context'] {
  let at = node
  for (;;) {
    const up = at.parent
    const isChain =
      (ts.isPropertyAccessExpression(up) && up.expression === at) ||
      (ts.isCallExpression(up) && up.expression === at) ||
      isWrapper(up)
    if (!isChain) break
    at = up
  }
  const { parent } = at
  if (ts.isAwaitExpression(parent)) return 'awaited'
  if (ts.isExpressionStatement(parent) || ts.isVoidExpression(parent)) return 'dropped'
  if (ts.isReturnStatement(parent) || ts.isArrowFunction(parent)) return 'returned'
  return 'used'
}

/** Whether an identifier stands for its value: not a declaration, a property's name, a type or a label. */
export function isValue(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) return false
  if (ts.isTypeNode(parent) || ts.isQualifiedName(parent) || ts.isImportSpecifier(parent)) return false
  if (ts.isExportSpecifier(parent) || ts.isImportClause(parent) || ts.isNamespaceImport(parent)) return false
  if (ts.isJsxAttribute(parent) || ts.isTypeParameterDeclaration(parent)) return false
  if (ts.isShorthandPropertyAssignment(parent)) return true
  const { name, propertyName } = parent as { name?: ts.Node; propertyName?: ts.Node }
  return name !== node && propertyName !== node
}
