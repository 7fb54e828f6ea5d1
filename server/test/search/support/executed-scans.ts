import type { Queryable } from '../../../src/db/pool.ts'
import type { Statement } from '../../../src/search/postgres/store-conditions.ts'

interface PlanNode {
  'Node Type': string
  'Actual Loops': number
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: PlanNode[]
}

/** What PostgreSQL read to answer a statement: indexes in the order of the plan, and tables that it read from end to end. */
export async function executedScans(db: Queryable, { text, values }: Statement): Promise<string[]> {
  const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, costs off, format json) ${text}`,
    values,
  )
  return [...new Set(scansIn(rows[0]!['QUERY PLAN'][0].Plan))]
}

function scansIn(node: PlanNode): string[] {
  // What was planned for the case that it is needed, and was not.
  if (node['Actual Loops'] === 0) return []
  const isWhole = node['Node Type'] === 'Seq Scan'
  const own = isWhole ? [`all of ${node['Relation Name']}`] : node['Index Name'] ? [node['Index Name']] : []
  return [...own, ...(node.Plans ?? []).flatMap(scansIn)]
}
