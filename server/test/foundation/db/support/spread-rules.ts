/** Rules for statements that run on PostgreSQL and on Citus, checked on PostgreSQL's own parse tree. */
import { distributions } from '../../../../src/foundation/db/distribution.ts'
import { nodesIn, type Schema, type TreeNode, type TreeValue } from './parse-tree.ts'

const update = '2'
const insert = '3'
const remove = '4'
const relation = '0'
const doNothing = '1'

/** The rules that a statement breaks, each as a sentence. */
export function brokenRules(tree: TreeNode, schema: Schema): string[] {
  const broken = new Set<string>()
  const queries = [...nodesIn(tree)].filter(({ name }) => name === 'QUERY')
  for (const query of queries) {
    for (const rule of rules) {
      const sentence = rule(query, schema, query === tree)
      if (sentence) broken.add(sentence)
    }
  }
  return [...broken]
}

type Rule = (query: TreeNode, schema: Schema, isWhole: boolean) => string | null | undefined | false

/** The function of a call or operator that is not immutable; also a conversion by text, whose functions may not be. */
function mutableCall({ name, fields }: TreeNode, { mutableFunctions }: Schema): string | undefined {
  if (name === 'COERCEVIAIO') return 'a cast by text'
  if (name === 'SQLVALUEFUNCTION') return 'a function of the clock or the session'
  return mutableFunctions.get(String(fields.funcid ?? fields.opfuncid))
}

const rules: readonly Rule[] = [
  ({ fields }, schema) => {
    const conflict = fields.onConflict as TreeNode | null
    if (!conflict) return null
    for (const node of nodesIn([conflict.fields.onConflictSet!, conflict.fields.onConflictWhere!])) {
      if (node.name === 'SUBLINK') return 'a subquery in DO UPDATE'
      const call = node.name === 'COERCEVIAIO' ? undefined : mutableCall(node, schema)
      if (call) return `${call} in DO UPDATE is not immutable`
    }
    return null
  },
  ({ fields }, schema) => {
    if (fields.commandType !== update || tablesIn(fields.jointree).length < 2) return null
    for (const node of nodesIn(fields.targetList, isNotQuery)) {
      const call = mutableCall(node, schema)
      if (call && [...nodesIn(node, isNotQuery)].some(({ name }) => name === 'VAR'))
        return `${call} of a joined column in UPDATE is not immutable`
    }
    return null
  },
  (query, schema) => {
    if (query.fields.rowMarks === null) return null
    const spread = relationsOf(query, schema).find(({ table }) => typeof distributions[table] === 'object')
    if (!spread) return null
    const { column } = distributions[spread.table] as { column: string }
    const number = schema.columns.get(`${spread.table}.${column}`)
    const isPinned = [...nodesIn((query.fields.jointree as TreeNode).fields.quals, isNotQuery)].some(
      ({ name, fields }) =>
        name === 'OPEXPR' &&
        Array.isArray(fields.args) &&
        fields.args.some((arg) => isColumn(arg, spread.number, number)) &&
        fields.args.some((arg) => ![...nodesIn(arg)].some((node) => node.name === 'VAR' || isOfSubquery(node))),
    )
    return !isPinned && `row locks on ${spread.table} without equality of ${column}`
  },
  ({ fields }) =>
    entriesOf(fields).some(
      (entry) => entry.fields.lateral === 'true' && (entry.fields.subquery as TreeNode | null)?.fields.limitCount,
    ) && 'a limit in a lateral subquery',
  (query, schema) => {
    const subqueries = (isLateral: boolean) =>
      entriesOf(query.fields)
        .filter(({ fields }) => fields.subquery && (fields.lateral === 'true') === isLateral)
        .map(({ fields }) => fields.subquery as TreeNode)
    const outer = [query, ...subqueries(false)].flatMap((each) => relationsOf(each, schema))
    const repeated = [...subqueries(true), ...correlatedIn(query)]
    return (
      outer.length > 0 &&
      !outer.some(isSpread) &&
      repeated.some((each) => joinedRelations(each, schema).some(isSpread)) &&
      'spread rows read for each row of copied tables'
    )
  },
  (query, schema) => {
    if (query.fields.commandType !== update && query.fields.commandType !== remove) return null
    const changed = relationsOf(query, schema).find(({ number }) => number === query.fields.resultRelation)
    if (!changed || isSpread(changed)) return null
    const read = [...nodesIn(query)].filter(({ name }) => name === 'QUERY')
    return (
      read.some((each) => relationsOf(each, schema).some(isSpread)) &&
      'a change of a copied table that reads spread rows'
    )
  },
  (query, schema) => {
    const groups = new Set(joinedRelations(query, schema).flatMap(({ table }) => groupOf(table)))
    return (
      groups.size > 1 && `tables of ${[...groups].sort().join(' and ')} joined outside of a materialized expression`
    )
  },
  ({ fields }) => {
    if (fields.commandType !== insert) return null
    const sources = entriesOf(fields).filter((entry) => entry.fields.subquery)
    if (sources.length !== 1 || entriesOf(fields).some((entry) => entry.fields.rtekind === '5')) return null
    return !readsRows(sources[0]!.fields.subquery as TreeNode) && 'an INSERT of parameters that is not VALUES'
  },
  ({ fields }, _schema, isWhole) =>
    isWhole &&
    (fields.onConflict as TreeNode | null)?.fields.action === doNothing &&
    fields.returningList === null &&
    entriesOf(fields).some((entry) => entry.fields.subquery) &&
    'an INSERT of selected rows ON CONFLICT DO NOTHING without RETURNING, of which Citus reports a wrong number',
  ({ fields }, _schema, isWhole) =>
    !isWhole &&
    fields.commandType === '1' &&
    fields.targetList === null &&
    fields.setOperations === null &&
    'an empty list of columns',
  ({ fields }, schema) => {
    if (fields.commandType !== update && fields.commandType !== remove) return null
    const within = [fields.targetList!, (fields.jointree as TreeNode).fields.quals!]
    for (const choice of nodesIn(within, isNotQuery)) {
      if (choice.name !== 'COALESCEEXPR' && choice.name !== 'CASEEXPR') continue
      for (const node of nodesIn(choice)) {
        if (node.name === 'SUBLINK') return 'a subquery in CASE or COALESCE of a change'
        const call = node.name === 'COERCEVIAIO' ? undefined : mutableCall(node, schema)
        if (call) return `${call} in CASE or COALESCE of a change is not immutable`
      }
    }
    return null
  },
]

function isNotQuery({ name }: TreeNode): boolean {
  return name !== 'QUERY'
}

function entriesOf(fields: TreeNode['fields']): TreeNode[] {
  return (fields.rtable ?? []) as TreeNode[]
}

function tablesIn(jointree: TreeValue | undefined): TreeNode[] {
  return [...nodesIn(jointree, isNotQuery)].filter(({ name }) => name === 'RANGETBLREF')
}

interface Relation {
  table: string
  /** Its number within the query. */
  number: string
}

/** The tables of the schema in a query's own FROM. */
function relationsOf({ fields }: TreeNode, schema: Schema): Relation[] {
  return entriesOf(fields).flatMap((entry, index) => {
    const table = entry.fields.rtekind === relation ? schema.tables.get(String(entry.fields.relid)) : undefined
    return table ? [{ table, number: String(index + 1) }] : []
  })
}

/**
 * Those, and the tables of subqueries in FROM and of correlated subqueries, which Citus plans together. It runs the parts of a union one
 * by one.
 */
function joinedRelations(query: TreeNode, schema: Schema): Relation[] {
  const { fields } = query
  if (fields.setOperations !== null) return []
  const isInsert = fields.commandType === insert
  const own = relationsOf(query, schema).filter(({ number }) => !isInsert || number !== fields.resultRelation)
  const inFrom = entriesOf(fields).flatMap(({ fields: { subquery } }) =>
    subquery ? joinedRelations(subquery as TreeNode, schema) : [],
  )
  return [...own, ...inFrom, ...correlatedIn(query).flatMap((each) => joinedRelations(each, schema))]
}

/** The subqueries that refer to the row at hand. */
function correlatedIn({ fields }: TreeNode): TreeNode[] {
  return [...nodesIn([fields.targetList!, fields.jointree!], isNotQuery)]
    .filter(({ name }) => name === 'SUBLINK')
    .map((node) => node.fields.subselect as TreeNode)
    .filter((subselect) =>
      [...nodesIn(subselect)].some((node) => node.name === 'VAR' && node.fields.varlevelsup !== '0'),
    )
}

function isSpread({ table }: Relation): boolean {
  return groupOf(table).length > 0
}

function groupOf(table: string): string[] {
  const distribution = distributions[table]
  return typeof distribution === 'object' ? [distribution.group] : []
}

function isColumn(value: TreeValue, relationNumber: string, column: string | undefined): boolean {
  const node = value as TreeNode | null
  return node?.name === 'VAR' && node.fields.varno === relationNumber && node.fields.varattno === column
}

/** Whether a node stands for what a subquery returns, as in `(a, b) in (select …)`. */
function isOfSubquery({ name, fields }: TreeNode): boolean {
  return name === 'PARAM' && fields.paramkind === '2'
}

/** Whether a query reads anything but its parameters. */
function readsRows(query: TreeNode): boolean {
  return [...nodesIn(query)].some(
    ({ name, fields }) =>
      ((name === 'RANGETBLENTRY' || name === 'RTE') && ['0', '5', '6'].includes(String(fields.rtekind))) ||
      (name === 'FUNCEXPR' && fields.funcretset === 'true'),
  )
}
