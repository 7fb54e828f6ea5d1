import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { project } from './tree.ts'

export interface FoundExpression {
  path: string
  /** As the code has it: `/a+/u`, or the pattern of a schema between slashes. */
  text: string
  source: string
  flags: string
}

export interface FoundExpressions {
  expressions: FoundExpression[]
  /** What makes a regular expression of a text that is no constant, as `path code`. */
  unknown: string[]
}

interface SourceText {
  path: string
  text: string
}

export function readSources(paths: readonly string[]): SourceText[] {
  return paths.map((path) => ({ path, text: readFileSync(join(project, path), 'utf8') }))
}

/**
 * Every regular expression in the code: literals, what `RegExp` is called with, and the `pattern` of schemas, which Ajv compiles with
 * the flag u. Constants of a file, and those that it imports, are followed by their names.
 */
export function findRegularExpressions(sources: readonly SourceText[]): FoundExpressions {
  const files = sources.map(({ path, text }) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  const constants = new Map(files.map((file) => [file, constantsOf(file)]))
  const imports = new Map(files.map((file) => [file, importedNames(file)]))
  // An exported name has one meaning in its workspace.
  const everywhere = new Map([...constants.values()].flatMap((own) => [...own]))
  const find: FindConstant = (node) => {
    const file = node.getSourceFile()
    const isImported = imports.get(file)?.has(node.text)
    return constants.get(file)?.get(node.text) ?? (isImported ? everywhere.get(node.text) : undefined)
  }
  const found: FoundExpressions = { expressions: [], unknown: [] }
  for (const file of files) visit(file, (node) => addExpression(found, node, find))
  return found
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node)
  ts.forEachChild(node, (child) => visit(child, look))
}

/** The value of a name at its place. */
type FindConstant = (name: ts.Identifier) => ts.Expression | undefined

function addExpression({ expressions, unknown }: FoundExpressions, node: ts.Node, find: FindConstant): void {
  const path = node.getSourceFile().fileName
  const add = (source: string | undefined, flags: string | undefined) => {
    if (source === undefined || flags === undefined) unknown.push(`${path} ${node.getText()}`)
    else expressions.push({ path, source, flags, text: `/${source}/${flags}` })
  }
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/')
    add(node.text.slice(1, end), node.text.slice(end + 1))
  } else if (isCallOfRegExp(node)) {
    const [source, flags] = node.arguments ?? []
    add(source && evaluate(source, find), flags ? evaluate(flags, find) : '')
  } else if (ts.isPropertyAssignment(node) && node.name.getText() === 'pattern') {
    // `pattern: /x/` is no schema's, and its literal is found by itself.
    if (!ts.isRegularExpressionLiteral(node.initializer) && !isCallOfRegExp(node.initializer))
      add(evaluate(node.initializer, find), 'u')
  }
}

function isCallOfRegExp(node: ts.Node): node is ts.CallExpression | ts.NewExpression {
  return (ts.isCallExpression(node) || ts.isNewExpression(node)) && node.expression.getText() === 'RegExp'
}

function importedNames(file: ts.SourceFile): Set<string> {
  return new Set(
    file.statements.flatMap((statement) => {
      const bindings = ts.isImportDeclaration(statement) && statement.importClause?.namedBindings
      return bindings && ts.isNamedImports(bindings) ? bindings.elements.map(({ name }) => name.text) : []
    }),
  )
}

/** The constants of a file that have a name, with their values. */
function constantsOf(file: ts.SourceFile): Map<string, ts.Expression> {
  const constants = new Map<string, ts.Expression>()
  for (const statement of file.statements)
    if (ts.isVariableStatement(statement) && statement.declarationList.flags & ts.NodeFlags.Const)
      for (const { name, initializer } of statement.declarationList.declarations)
        if (ts.isIdentifier(name) && initializer) constants.set(name.text, initializer)
  return constants
}

/** The text of a constant expression; undefined if it is none. */
function evaluate(node: ts.Expression, find: FindConstant): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isIdentifier(node)) {
    const value = find(node)
    return value && evaluate(value, find)
  }
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map(({ expression, literal }) => {
      const value = evaluate(expression, find)
      return value === undefined ? undefined : value + literal.text
    })
    return parts.includes(undefined) ? undefined : node.head.text + parts.join('')
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const sides = [evaluate(node.left, find), evaluate(node.right, find)]
    return sides.includes(undefined) ? undefined : sides.join('')
  }
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw')
    return ts.isNoSubstitutionTemplateLiteral(node.template) ? node.template.rawText : undefined
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') {
    const value = ts.isIdentifier(node.expression) ? find(node.expression) : node.expression
    return value && ts.isRegularExpressionLiteral(value) ? value.text.slice(1, value.text.lastIndexOf('/')) : undefined
  }
  return undefined
}
