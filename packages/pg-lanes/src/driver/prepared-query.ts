import pg from 'pg'
import { bindAndExecute, toParameters } from './query-message.ts'

/** A statement with a name; the server parses it once per connection. */
export interface NamedStatement {
  name: string
  text: string
  values: readonly unknown[]
}

interface Columns {
  names: string[]
  parsers: ((text: string) => unknown)[]
}

type Row = Record<string, unknown>

/** The part of the driver's connection that a query uses. */
interface DriverConnection {
  readonly stream: { writable: boolean; cork(): void; uncork(): void; write(bytes: Buffer): boolean }
  readonly parsedStatements: Record<string, string | undefined>
  parse(statement: { name: string; text: string }): void
  describe(target: { type: 'S'; name: string }): void
}

type Callback = (error: Error | null, result?: pg.QueryResult) => void

/** The columns of each connection's statements. When the columns change, the server rejects the statement. */
const described = new WeakMap<DriverConnection, Map<string, Columns>>()
const noColumns: Columns = { names: [], parsers: [] }

/**
 * Runs a named statement as the driver does, with less work: the driver requests the columns with each call, and writes
 * five messages. Here a statement that the connection knows is one message, and its columns are cached.
 *
 * The driver calls these methods and sets their names.
 */
class PreparedQuery {
  readonly name: string
  readonly text: string
  callback: Callback
  readonly #parameters: readonly (string | Buffer | null)[]
  readonly #parserOf: pg.CustomTypesConfig['getTypeParser']
  readonly #rows: Row[] = []
  #known: Map<string, Columns> | undefined
  #columns: Columns | undefined
  #failure: Error | null = null
  #command = ''
  #rowCount: number | null = null

  constructor(
    { name, text }: NamedStatement,
    parameters: readonly (string | Buffer | null)[],
    parserOf: pg.CustomTypesConfig['getTypeParser'],
    callback: Callback,
  ) {
    this.name = name
    this.text = text
    this.callback = callback
    this.#parameters = parameters
    this.#parserOf = parserOf
  }

  submit(connection: DriverConnection): Error | null {
    const { name, text } = this
    const { stream, parsedStatements } = connection
    const previous = parsedStatements[name]
    if (previous !== undefined && previous !== text)
      return new Error(`Prepared statements must be unique - '${name}' was used for a different statement`)
    this.#known = described.get(connection) ?? new Map<string, Columns>()
    described.set(connection, this.#known)
    this.#columns = previous === undefined ? undefined : this.#known.get(name)
    if (!stream.writable) return null
    stream.cork()
    if (previous === undefined) connection.parse({ name, text })
    if (!this.#columns) connection.describe({ type: 'S', name })
    stream.write(bindAndExecute(name, this.#parameters))
    stream.uncork()
    return null
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = {
      names: fields.map((field) => field.name),
      parsers: fields.map((field) => this.#parserOf(field.dataTypeID, 'text')),
    }
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#failure) return
    const { names, parsers } = this.#columns!
    const row: Row = {}
    try {
      for (let index = 0; index < names.length; index++) {
        const text = fields[index]!
        row[names[index]!] = text === null ? null : parsers[index]!(text)
      }
    } catch (error) {
      this.#failure = error as Error
      return
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const words = text.split(' ')
    this.#command = words[0]!
    // `INSERT 0 5`, `SELECT 5`, and no number after `CREATE TABLE`.
    const count = Number(words.at(-1))
    this.#rowCount = Number.isNaN(count) ? null : count
  }

  handleReadyForQuery(): void {
    if (this.#failure) return void this.callback(this.#failure)
    this.#known?.set(this.name, this.#columns ?? noColumns)
    const result = { command: this.#command, rowCount: this.#rowCount, rows: this.#rows, oid: 0, fields: [] }
    this.callback(null, result)
  }

  handleError(error: Error): void {
    this.callback(this.#failure ?? error)
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}

  handleCopyInResponse(connection: { sendCopyFail(message: string): void }): void {
    connection.sendCopyFail('No source stream defined')
  }
}

/** The driver's client, with `PreparedQuery` for statements that have a name. */
export const PreparingClient = class extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: one of the driver's many signatures
  override query(config: any, values?: any, callback?: any): any {
    if (values !== undefined || callback !== undefined || !isNamedStatement(config))
      return super.query(config, values, callback)
    const parameters = toParameters(config.values)
    if (parameters === null) return super.query(config as pg.QueryConfig)
    return new Promise<pg.QueryResult>((resolve, reject) => {
      const done: Callback = (error, result) => {
        if (!error) return resolve(result!)
        // The stack of the socket's event says nothing about the caller.
        Error.captureStackTrace(error)
        reject(error)
      }
      super.query(new PreparedQuery(config, parameters, this.getTypeParser.bind(this), done) as unknown as pg.Query)
    })
  }
} as unknown as typeof pg.Client

function isNamedStatement(config: unknown): config is NamedStatement {
  // A string has its characters as properties.
  if (typeof config !== 'object' || config === null) return false
  const { name, text, values, ...others } = config as Partial<NamedStatement>
  return typeof name === 'string' && typeof text === 'string' && Array.isArray(values) && isEmpty(others)
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}
