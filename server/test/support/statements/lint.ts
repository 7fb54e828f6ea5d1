/** Checks every statement that the service sends during the tests against the rules of `db/support/spread-rules.ts`. */
import pg from 'pg'
import { StatementParser } from '../../foundation/db/support/parse-tree.ts'
import { brokenRules } from '../../foundation/db/support/spread-rules.ts'
import { createTestDatabase } from '../database.ts'

/** The file of the service that sent a statement first, by the statement. */
const seen = new Map<string, string>()
let unchecked: { text: string; sender: string }[] = []

/** Records the statements of the service from now on, in this process. Those of the tests themselves do not count. */
export function recordStatements(): void {
  const { prototype } = pg.Client as unknown as { prototype: { query: (...args: unknown[]) => unknown } }
  const { query } = prototype
  if (query.name === 'recordingQuery') return
  prototype.query = function recordingQuery(...args) {
    const text = typeof args[0] === 'string' ? args[0] : (args[0] as { text?: string } | undefined)?.text
    if (typeof text === 'string' && !seen.has(text)) {
      const sender = senderOf(new Error('who sends this?').stack)
      // A statement that a test sends first may be the service's too.
      if (sender) {
        seen.set(text, sender)
        unchecked.push({ text, sender })
      }
    }
    return query.apply(this, args)
  }
}

/** The files whose statements were recorded in this process. */
export function recordedSenders(): string[] {
  return [...seen.values()]
}

/** The file of the service that sends a statement, not that of its driver or pool; undefined when a test does. */
function senderOf(stack = ''): string | undefined {
  for (const line of stack.split('\n')) {
    const file = /server\/(src|test)\/[\w./-]+/.exec(line)?.[0]
    if (!file || /support\/statements\/|src\/foundation\/db\/((connection-)?pool|driver\/)/.test(file)) continue
    return file.startsWith('server/src/') ? file : undefined
  }
  return undefined
}

/** Fails when a statement that was recorded since the last call would not run on Citus. */
export async function checkRecordedStatements(): Promise<void> {
  const recorded = unchecked
  unchecked = []
  const statements = recorded.flatMap(({ text, sender }) =>
    splitStatements(text).map((statement) => ({ statement, sender })),
  )
  const checkable = statements.filter(({ statement }) => /^(with|select|insert|update|delete)\b/i.test(statement))
  if (checkable.length === 0) return
  const parser = new StatementParser((await createTestDatabase()).url)
  const schema = await parser.open()
  const faults: string[] = []
  try {
    for (const { statement, sender } of checkable) {
      const rules = await parser.parse(statement).then(
        (tree) => brokenRules(tree, schema),
        // The type of a parameter is unknown, or the statement needs what only its own test has.
        (error: pg.DatabaseError) => (error.code === '42P18' || error.code === '42P08' ? [error.message] : []),
      )
      for (const rule of rules) faults.push(`${rule}\n  sent by ${sender}:\n${statement}`)
    }
  } finally {
    await parser.close()
  }
  if (faults.length > 0)
    throw new Error(`Statements that do not run on Citus (docs/decisions/0057):\n${faults.join('\n\n')}`)
}

/** The statements of a text, without comments before them. Quoted texts may contain semicolons. */
function splitStatements(text: string): string[] {
  const parts = text.match(/(?:'(?:[^']|'')*'|"[^"]*"|--[^\n]*|[^;'"])+/g) ?? []
  return parts.map((part) => part.replace(/^(\s|--[^\n]*\n)+/, '').trim()).filter(Boolean)
}
