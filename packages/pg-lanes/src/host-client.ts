import pg from 'pg'
import { PreparingClient } from './driver/prepared-query.ts'
import { type Host, listHosts, type SessionTarget } from './hosts.ts'

/** SQLSTATE of a write on a standby; for a request, the database is unavailable. */
const wrongServer = '25006'

/** None of several hosts can be used. */
export class NoHostError extends Error {
  readonly code = wrongServer
  readonly failures: readonly { address: string; error: Error }[]

  constructor(failures: NoHostError['failures']) {
    super(`no host can be used: ${failures.map(({ address, error }) => `${address}: ${error.message}`).join('; ')}`)
    this.failures = failures
  }
}

class WrongServerError extends Error {
  readonly code = wrongServer
}

interface Attempt extends Host {
  target: SessionTarget
}

/**
 * The servers of one URL, tried from the last one that could be used. All pools and sessions of a process share the
 * choice for a URL.
 */
class HostChoice {
  readonly attempts: readonly Attempt[]
  readonly hosts: number
  readonly #failures = new Map<string, Error>()
  #current = 0
  /** Incremented when a server turns out to accept no writes; connections of earlier generations are then closed. */
  generation = 0

  constructor(url: string) {
    const { hosts, target } = listHosts(url)
    const rounds: SessionTarget[] = target === 'prefer-standby' ? ['standby', 'any'] : [target]
    this.attempts = rounds.flatMap((round) => hosts.map((host) => ({ ...host, target: round })))
    this.hosts = hosts.length
  }

  get current(): Attempt {
    return this.attempts[this.#current]!
  }

  succeeded(attempt: Attempt): void {
    const index = this.attempts.indexOf(attempt)
    // The second round of `prefer-standby` accepts any server; the next connection tries a standby again.
    this.#current = index < this.hosts ? index : 0
    this.#failures.clear()
  }

  failed(attempt: Attempt, error: Error): void {
    this.#failures.set(attempt.address, error)
    if (this.current === attempt) this.#current = (this.#current + 1) % this.attempts.length
  }

  /** Closes the connections of this generation before their next use: their server accepts no writes. */
  distrust(attempt: Attempt, generation: number): void {
    if (generation !== this.generation) return
    this.generation++
    if (this.attempts.length > 1) this.failed(attempt, new WrongServerError('it accepts no writes'))
  }

  /** Runs `connect`, which uses the current host, until it succeeds, each host has failed or the time is over. */
  async tryEach<T>(connect: () => Promise<T>, timeoutMs: number): Promise<T> {
    const deadline = performance.now() + timeoutMs
    for (let tries = 1; ; tries++) {
      try {
        return await connect()
      } catch (error) {
        if (this.attempts.length === 1 || !mayOtherHostHelp(error)) throw error
        // Concurrent attempts also move the choice, so a host may have been tried twice.
        const isOver = tries >= this.attempts.length && (this.#failures.size >= this.hosts || tries >= this.hosts * 4)
        if (isOver || performance.now() >= deadline) throw this.#describe(error as Error)
      }
    }
  }

  #describe(error: Error): Error {
    const failures = [...this.#failures].map(([address, failure]) => ({ address, error: failure }))
    return failures.length > 0 ? new NoHostError(failures) : error
  }
}

/** As in libpq, a server that rejects the user or the database ends the search. */
function mayOtherHostHelp(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(57P0\d|08...)$/.test(error.code ?? '')
}

const choices = new Map<string, HostChoice>()

function choiceOf(url: string): HostChoice {
  let choice = choices.get(url)
  if (!choice) {
    choice = new HostChoice(url)
    choices.set(url, choice)
  }
  return choice
}

export type HostClientSettings = pg.ClientConfig & { connectionString: string }

const defaultTimeoutMs = 10_000

// biome-ignore lint/suspicious/noExplicitAny: the driver's callbacks have one of two shapes
type ConnectCallback = (error: any, client: pg.Client) => void

/** A connection to the current host of the URL. `connect` fails if the server does not match the target. */
class HostClient extends PreparingClient {
  readonly #choice: HostChoice
  readonly #attempt: Attempt
  readonly #generation: number
  readonly #attemptMs: number
  readonly #reported = new Map<string, string>()
  #isMisplaced = false

  constructor(settings: HostClientSettings) {
    const choice = choiceOf(settings.connectionString)
    const attempt = choice.current
    const attemptMs = attemptTimeout(choice, settings)
    super({
      ...settings,
      connectionString: attempt.url,
      ...(choice.attempts.length > 1 && { connectionTimeoutMillis: attemptMs }),
    })
    // Without a listener, an error outside of a query would end the process, even one in the packet that completes the
    // connection. The next use finds the broken connection.
    this.on('error', () => {})
    this.#choice = choice
    this.#attempt = attempt
    this.#attemptMs = attemptMs
    this.#generation = choice.generation
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
      this.#reported.set(parameterName!, parameterValue!)
    })
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code !== wrongServer) return
      this.#isMisplaced = true
      choice.distrust(attempt, this.#generation)
    })
  }

  /** True if the connection must be closed instead of used again. */
  get isMisplaced(): boolean {
    return this.#isMisplaced || this.#generation !== this.#choice.generation
  }

  override connect(): Promise<this>
  override connect(callback: ConnectCallback): void
  // The pool passes a callback.
  override connect(callback?: ConnectCallback): Promise<this> | undefined {
    const connecting = this.#connect()
    if (!callback) return connecting
    connecting.then(
      () => callback(null, this),
      (error) => callback(error, this),
    )
  }

  async #connect(): Promise<this> {
    try {
      await super.connect()
      if (this.#attempt.target !== 'any' && !(await this.#isWanted())) {
        super.end().catch(() => {})
        throw new WrongServerError(sentences[this.#attempt.target])
      }
      this.#choice.succeeded(this.#attempt)
      return this
    } catch (error) {
      this.#choice.failed(this.#attempt, error as Error)
      throw error
    }
  }

  async #isWanted(): Promise<boolean> {
    const { isStandby, isReadOnly } = await this.#readServer()
    switch (this.#attempt.target) {
      case 'read-write':
        return !isReadOnly
      case 'read-only':
        return isReadOnly
      case 'primary':
        return !isStandby
      case 'standby':
        return isStandby
      default:
        return true
    }
  }

  /** PostgreSQL reports both at the start of a session; poolers in front of it may not. */
  async #readServer(): Promise<{ isStandby: boolean; isReadOnly: boolean }> {
    const [standby, readOnly] = ['in_hot_standby', 'default_transaction_read_only'].map((name) =>
      this.#reported.get(name),
    )
    if (standby !== undefined && readOnly !== undefined)
      return { isStandby: standby === 'on', isReadOnly: standby === 'on' || readOnly === 'on' }
    const query = {
      text: "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only",
      query_timeout: this.#attemptMs,
    }
    const { rows } = await this.query<{ standby: boolean; read_only: boolean }>(query)
    return { isStandby: rows[0]!.standby, isReadOnly: rows[0]!.read_only }
  }
}

const sentences: Record<SessionTarget, string> = {
  any: 'it cannot be used',
  'read-write': 'it accepts no writes',
  'read-only': 'it accepts writes',
  primary: 'it is a standby',
  standby: 'it is no standby',
  'prefer-standby': 'it is no standby',
}

/** The time for one host, so that all of them can be tried within the time for a connection. */
function attemptTimeout({ hosts }: HostChoice, { connectionTimeoutMillis }: HostClientSettings): number {
  return Math.ceil((connectionTimeoutMillis || defaultTimeoutMs) / hosts)
}

/** Opens a connection to the first host that can be used. A broken connection is reported by the statement that fails. */
export async function connectClient(settings: HostClientSettings): Promise<pg.Client> {
  return choiceOf(settings.connectionString).tryEach(async () => {
    const client = new HostClient(settings)
    await client.connect()
    return client
  }, settings.connectionTimeoutMillis || defaultTimeoutMs)
}

/** A `Client` class for a pool over the hosts of a URL. `open` tries each host until `connect` succeeds. */
export function poolHosts(
  url: string,
  timeoutMs: number,
): {
  Client: NonNullable<pg.PoolConfig['Client']>
  open<T>(connect: () => Promise<T>): Promise<T>
} {
  return {
    Client: HostClient as unknown as NonNullable<pg.PoolConfig['Client']>,
    open: (connect) => choiceOf(url).tryEach(connect, timeoutMs),
  }
}

/** Returns true if the connection must be closed: its server accepts no writes, but should. */
export function isMisplaced(client: object): boolean {
  return client instanceof HostClient && client.isMisplaced
}
