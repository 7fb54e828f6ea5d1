import ts from 'typescript'
import { argumentOf, contextOf, isValue, nameOf, templateText } from './expressions.ts'
import type { ImportFact, SourceFacts } from './facts.ts'

/** Reads one source text. Comments, and words inside of text, are never taken for code. */
export function parse(path: string, text: string): SourceFacts {
  const source = ts.createSourceFile(
    path,
    text,
    { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone },
    true,
  )
  const facts: SourceFacts = {
    path,
    imports: [],
    exports: [],
    calls: [],
    accesses: [],
    literals: [],
    durations: new Set(),
  }
  visit(facts, source, source, undefined)
  for (const statement of source.statements) readExports(facts, statement)
  return facts
}

function visit(facts: SourceFacts, source: ts.SourceFile, node: ts.Node, within: string | undefined): void {
  readImport(facts, node)
  let inner = within
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const name = nameOf(node.expression)
    const args = node.arguments?.map((each) => argumentOf(each, source)) ?? []
    facts.calls.push({ name, args, within, context: contextOf(node), subject: subjectOf(node, source) })
    visit(facts, source, node.expression, within)
    inner = ts.isNewExpression(node) ? `new ${name}` : name
    for (const each of node.arguments ?? []) visit(facts, source, each, inner)
    return
  }
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)) {
    if (!isModuleName(node)) facts.literals.push(templateText(node))
  } else if (isOutermostAccess(node) || (ts.isIdentifier(node) && isValue(node))) {
    facts.accesses.push(nameOf(node as ts.Expression))
  } else if (ts.isVariableDeclaration(node)) readDeclaration(facts, node, source)
  ts.forEachChild(node, (child) => visit(facts, source, child, inner))
}

function isModuleName({ parent }: ts.Node): boolean {
  return ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent)
}

function isOutermostAccess(node: ts.Node): boolean {
  if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) return false
  const isPart = (each: ts.Node) => ts.isPropertyAccessExpression(each) || ts.isElementAccessExpression(each)
  return !(isPart(node.parent) && (node.parent as ts.PropertyAccessExpression).expression === node)
}

function readImport(facts: SourceFacts, node: ts.Node): void {
  if (ts.isImportDeclaration(node)) {
    const clause = node.importClause
    const bindings = clause?.namedBindings
    const elements = bindings && ts.isNamedImports(bindings) ? bindings.elements : []
    const isTypeOnly =
      clause?.phaseModifier === ts.SyntaxKind.TypeKeyword ||
      (elements.length > 0 && !clause?.name && elements.every((element) => element.isTypeOnly))
    const from = textOf(node.moduleSpecifier)
    facts.imports.push({ kind: 'static', from, isTypeOnly, ...namesOf(elements) })
  } else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    const clause = node.exportClause
    const elements = clause && ts.isNamedExports(clause) ? clause.elements : []
    const isTypeOnly = node.isTypeOnly || (elements.length > 0 && elements.every((element) => element.isTypeOnly))
    const from = textOf(node.moduleSpecifier)
    facts.imports.push({ kind: 'export', from, isTypeOnly, ...namesOf(elements) })
  } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const from = node.arguments[0]
    if (from && ts.isStringLiteralLike(from))
      facts.imports.push({ kind: 'dynamic', from: from.text, isTypeOnly: false, names: [], values: [] })
  } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    facts.imports.push({
      kind: 'type',
      from: textOf(node.argument.literal),
      isTypeOnly: true,
      names: [],
      values: [],
    })
  }
}

function namesOf(elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[]): Pick<ImportFact, 'names' | 'values'> {
  const nameOf = ({ propertyName, name }: ts.ImportSpecifier | ts.ExportSpecifier) => (propertyName ?? name).text
  return {
    names: elements.map(nameOf),
    values: elements.filter(({ isTypeOnly }) => !isTypeOnly).map(nameOf),
  }
}

function textOf(node: ts.Node): string {
  return ts.isStringLiteralLike(node) ? node.text : ''
}

function readExports(facts: SourceFacts, statement: ts.Statement): void {
  if (ts.isExportDeclaration(statement) && !statement.moduleSpecifier && statement.exportClause) {
    // A name that was imported is passed on, and is no export of this file.
    const isPassedOn = (name: string) => facts.imports.some(({ names }) => names.includes(name))
    if (ts.isNamedExports(statement.exportClause))
      for (const { name } of statement.exportClause.elements) if (!isPassedOn(name.text)) facts.exports.push(name.text)
    return
  }
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return
  if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) return
  if (ts.isVariableStatement(statement))
    for (const { name } of statement.declarationList.declarations) facts.exports.push(...boundNames(name))
  else if (isNamedDeclaration(statement) && statement.name) facts.exports.push(statement.name.text)
}

function isNamedDeclaration(node: ts.Statement): node is ts.Statement & { name?: ts.Identifier } {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node)
  )
}

function boundNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text]
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []))
}

/** `const { env } = process` reads `process.env`; `const took = performance.now() - start` is a measured duration. */
function readDeclaration(facts: SourceFacts, node: ts.VariableDeclaration, source: ts.SourceFile): void {
  const { name, initializer } = node
  if (!initializer) return
  if (ts.isObjectBindingPattern(name) && ts.isIdentifier(initializer))
    for (const element of name.elements) {
      const property = element.propertyName ?? element.name
      if (ts.isIdentifier(property)) facts.accesses.push(`${initializer.text}.${property.text}`)
    }
  if (ts.isIdentifier(name) && isDuration(initializer.getText(source))) facts.durations.add(name.text)
}

const clockRead = String.raw`(performance\.now|Date\.now|process\.hrtime(\.bigint)?)\(\)`

/** Whether an expression subtracts one reading of this machine's clock from another. */
export function isDuration(expression: string): boolean {
  return new RegExp(`${clockRead}\\s*-|-\\s*${clockRead}`).test(expression)
}

/** What an assertion is about: the text within `expect(…)`, for each call that hangs on it. */
function subjectOf(node: ts.CallExpression | ts.NewExpression, source: ts.SourceFile): string | undefined {
  let at: ts.Node = node.expression
  while (ts.isPropertyAccessExpression(at)) at = at.expression
  if (at === node.expression || !ts.isCallExpression(at)) return undefined
  return nameOf(at.expression) === 'expect' ? at.arguments[0]?.getText(source) : undefined
}
