import type { ChildProcess } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { withTimeout } from '@storedex/work'
import type { WorkerProgram } from './program.ts'
import type { FromWorker, ProcessMetrics, ToWorker, WorkerAnswers, WorkerAssignment } from './protocol.ts'

const answerTimeoutMs = 2_000

/** How a worker ended before it listened. */
export class WorkerStartError extends Error {
  readonly isPortTaken: boolean

  constructor(sentence: string, isPortTaken: boolean) {
    super(sentence)
    this.isPortTaken = isPortTaken
  }
}

/** One worker as the supervisor sees it. */
export class WorkerProcess {
  readonly number: number
  readonly startedAt = performance.now()
  /** Resolves when the process is gone, to what ended it, such as `exit code 1`. */
  readonly ended: Promise<string>
  readonly #worker: Worker
  readonly #came: Record<'opened' | 'listening', Promise<void>>
  readonly #questions = new Map<number, (content: WorkerAnswers[keyof WorkerAnswers]) => void>()
  #lastQuestion = 0
  #failure: { sentence: string; isPortTaken: boolean } | null = null
  /** The newest figures, also after its end. */
  #figures: ProcessMetrics = []
  #isEnding = false

  constructor(assignment: WorkerAssignment, { exec, execArgv, env }: WorkerProgram) {
    this.number = assignment.number
    cluster.schedulingPolicy = cluster.SCHED_RR
    // Its standard input is the supervisor's business; an argument would only be seen by others.
    cluster.setupPrimary({ exec, execArgv: [...execArgv], args: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#worker = cluster.fork(env)
    this.#worker.on('error', () => {}) // a message to a process that has just ended
    this.ended = once(this.#worker, 'exit').then(([code, signal]) => (signal ? String(signal) : `exit code ${code}`))
    closeLostConnections(this.#worker.process, this.ended)
    this.#came = { opened: this.#untilCame('opened'), listening: this.#untilCame('listening') }
    for (const promise of Object.values(this.#came)) promise.catch(() => {})
    this.#worker.on('message', (message: FromWorker) => {
      if (message.kind === 'loaded') this.#send({ kind: 'start', assignment })
      else this.#receive(message)
    })
  }

  get pid(): number {
    return this.#worker.process.pid ?? 0
  }

  /** Its own words about why it ended; null if it said nothing. */
  get failure(): string | null {
    return this.#failure?.sentence ?? null
  }

  get figures(): ProcessMetrics {
    return this.#figures
  }

  /** Whether it has the order to stop. */
  get isEnding(): boolean {
    return this.#isEnding
  }

  /** Resolves when its resources are open. Throws a `WorkerStartError` if it ends before. */
  opened(): Promise<void> {
    return this.#came.opened
  }

  /** Lets it take connections; resolves and throws as `opened`. */
  listen(): Promise<void> {
    this.#send({ kind: 'listen' })
    return this.#came.listening
  }

  /** Undefined if it does not answer in time. */
  async ask<About extends keyof WorkerAnswers>(about: About): Promise<WorkerAnswers[About] | undefined> {
    const id = ++this.#lastQuestion
    const answered = new Promise<WorkerAnswers[About] | undefined>((resolve) => {
      this.#questions.set(id, (content) => resolve(content as WorkerAnswers[About]))
      this.#send({ kind: 'ask', id, about })
    })
    try {
      return await withTimeout(
        Promise.race([answered, this.ended.then(() => undefined)]),
        answerTimeoutMs,
        () => undefined,
      )
    } finally {
      this.#questions.delete(id)
    }
  }

  /** Reads its figures; those of the last time if it does not answer. */
  async readFigures(): Promise<ProcessMetrics> {
    const figures = await this.ask('metrics')
    if (figures) this.#figures = figures
    return this.#figures
  }

  handOver(): void {
    this.#isEnding = true
    this.#send({ kind: 'handOver' })
  }

  /** Lets it end in order; after `timeoutMs` it is killed. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isEnding = true
    this.#send({ kind: 'stop' })
    await this.endsWithin(timeoutMs)
  }

  async endsWithin(timeoutMs: number): Promise<void> {
    const kill = setTimeout(() => this.kill(), timeoutMs)
    await this.ended
    clearTimeout(kill)
  }

  kill(): void {
    this.#isEnding = true
    this.#worker.process.kill('SIGKILL')
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'answer') this.#questions.get(message.id)?.(message.content)
    else if (message.kind === 'ended') this.#figures = message.metrics
    else if (message.kind === 'failed') this.#failure = message
  }

  #send(message: ToWorker): void {
    if (this.#worker.isConnected()) this.#worker.send(message, () => {})
  }

  async #untilCame(kind: 'opened' | 'listening'): Promise<void> {
    const came = new Promise<true>((resolve) => {
      this.#worker.on('message', (message: FromWorker) => {
        if (message.kind === kind) resolve(true)
      })
    })
    const cause = await Promise.race([came, this.ended])
    if (cause === true) return
    const sentence = this.#failure?.sentence ?? `Worker ${this.number} ended during its start: ${cause}.`
    throw new WorkerStartError(sentence, this.#failure?.isPortTaken ?? false)
  }
}

/**
 * Node keeps the connection that was on its way to a worker when that died, and forgets it: its client would wait without end.
 * Closed, the client sees at once what the clients of the worker's other connections see.
 */
function closeLostConnections(child: ChildProcess, ended: Promise<unknown>): void {
  const underway = new Map<number, { close(): void }>()
  const send = child.send as (message: ClusterMessage, ...rest: unknown[]) => boolean
  child.send = ((message: ClusterMessage, ...rest: unknown[]) => {
    const [handle] = rest as { close(): void }[]
    if (message.act === 'newconn' && message.seq !== undefined && handle) underway.set(message.seq, handle)
    return send.call(child, message, ...rest)
  }) as ChildProcess['send']
  // The worker's answer whether it takes a connection.
  child.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) underway.delete(ack)
  })
  void ended.then(() => {
    for (const handle of underway.values()) handle.close()
  })
}

/** What Node's own messages between the processes of a cluster contain, as far as it is needed. */
interface ClusterMessage {
  act?: string
  seq?: number
  ack?: number
}
