/** Reads the parse trees that PostgreSQL prints (`debug_print_parse`). */
import pg from 'pg'

/** A node of a parse tree: its name, and its fields by name. */
export interface TreeNode {
  name: string
  fields: Record<string, TreeValue>
}

/** An atom is a text; `<>`, which stands for nothing, is null. */
export type TreeValue = TreeNode | TreeValue[] | string | null

const tokens = /\{|\}|\(|\)|\[[^\]]*\]|"(?:[^"\\]|\\.)*"|(?:[^\s{}()\\]|\\.)+/gs

/** Parses the text of one node. */
function parseTree(text: string): TreeNode {
  const found = text.match(tokens) ?? []
  let at = 0
  const readValue = (): TreeValue => {
    const token = found[at++]!
    if (token === '{') return readNode()
    if (token !== '(') return token === '<>' ? null : token
    const list: TreeValue[] = []
    while (found[at] !== ')') list.push(readValue())
    at++
    return list
  }
  const readNode = (): TreeNode => {
    const node: TreeNode = { name: found[at++]!, fields: {} }
    while (found[at] !== '}') {
      const field = found[at++]!.slice(1)
      // Some fields have several atoms, such as a constant's length and bytes: the first one is kept.
      let value: TreeValue | undefined
      while (found[at] !== '}' && !/^:[a-zA-Z]/.test(found[at]!)) {
        const next = readValue()
        value ??= next
      }
      node.fields[field] = value ?? null
    }
    at++
    return node
  }
  return readValue() as TreeNode
}

/** All nodes below a value, itself included; `enters` can keep it out of some. */
export function* nodesIn(
  value: TreeValue | undefined,
  enters: (node: TreeNode) => boolean = () => true,
): Generator<TreeNode> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item, enters)
  else if (value && typeof value === 'object') {
    yield value
    if (enters(value)) for (const field of Object.values(value.fields)) yield* nodesIn(field, enters)
  }
}

export interface Schema {
  /** Name of a table by its oid. */
  tables: Map<string, string>
  /** Number of a column by `table.column`. */
  columns: Map<string, string>
  /** Functions that are not immutable, by oid. */
  mutableFunctions: Map<string, string>
}

/** Parses statements with PostgreSQL itself, on a connection of its own. */
export class StatementParser {
  readonly #client: pg.Client
  readonly #trees: string[] = []

  constructor(url: string) {
    this.#client = new pg.Client({ connectionString: url })
    this.#client.on('error', () => {})
    this.#client.on('notice', ({ detail }) => detail && this.#trees.push(detail))
  }

  async open(): Promise<Schema> {
    await this.#client.connect()
    const tables = await this.#client.query(
      "select oid::text, relname from pg_class where relnamespace = 'public'::regnamespace",
    )
    const columns = await this.#client.query(
      `select c.relname || '.' || a.attname as name, a.attnum::text as number
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and a.attnum > 0`,
    )
    const functions = await this.#client.query("select oid::text, proname from pg_proc where provolatile <> 'i'")
    // The trees are for this connection, not for the server's log.
    await this.#client.query('set log_min_messages = fatal').catch(() => {})
    await this.#client.query('set client_min_messages = log; set debug_pretty_print = off')
    return {
      tables: new Map(tables.rows.map((row) => [row.oid, row.relname])),
      columns: new Map(columns.rows.map((row) => [row.name, row.number])),
      mutableFunctions: new Map(functions.rows.map((row) => [row.oid, row.proname])),
    }
  }

  /** The tree of one statement. Throws if PostgreSQL does not accept it. */
  async parse(statement: string): Promise<TreeNode> {
    this.#trees.length = 0
    await this.#client.query('set debug_print_parse = on')
    try {
      await this.#client.query(`prepare linted as ${statement}`)
      await this.#client.query('deallocate linted')
    } finally {
      await this.#client.query('set debug_print_parse = off')
    }
    const trees = this.#trees.map(parseTree)
    return trees.find((tree) => tree.fields.commandType !== '6')!
  }

  async close(): Promise<void> {
    await this.#client.end()
  }
}
