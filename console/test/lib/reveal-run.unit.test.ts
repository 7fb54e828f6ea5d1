import { describe, expect, it } from 'vitest'
import { RevealRun, type RevealRunOptions, type Verdict } from '../../src/lib/reveal-run.ts'

interface Call {
  ids: readonly string[]
  key: string
}

type Answer = 'ok' | Error

const verdicts: Record<string, Verdict> = {
  lost: { kind: 'retry' },
  busy: { kind: 'retry', afterMs: 1_234 },
  nobody: { kind: 'nobody' },
  refused: { kind: 'fail' },
}

/** A run against a service that gives these answers in turn, and `ok` afterwards. Pauses take no time. */
function runOf(count: number, answers: Answer[] = [], more: Partial<RevealRunOptions<string>> = {}) {
  const calls: Call[] = []
  const pauses: number[] = []
  let keys = 0
  const run = new RevealRun<string>({
    ids: Array.from({ length: count }, (_, index) => `ct_${index}`),
    newKey: () => `key ${++keys}`,
    judge: (error) => verdicts[(error as Error).message]!,
    pause: async (ms) => void pauses.push(ms),
    send: async (ids, key) => {
      calls.push({ ids, key })
      const answer = answers.shift() ?? 'ok'
      if (answer !== 'ok') throw answer
      return { contacts: ids.map((id) => `person ${id}`), spent: ids.length }
    },
    ...more,
  })
  return { run, calls, pauses }
}

const lost = () => new Error('lost')

describe('a reveal', () => {
  it('spends nothing before it is started', async () => {
    const { run, calls } = runOf(25)
    run.subscribe(() => undefined)
    run.stop()
    await Promise.resolve()
    expect(calls).toEqual([])
    expect(run.state.phase).toBe('ready')
  })

  it('runs in steps of ten, one after the other, each with a key of its own', async () => {
    const { run, calls } = runOf(25)
    await run.start()
    expect(calls.map(({ ids, key }) => [ids.length, key])).toEqual([
      [10, 'key 1'],
      [10, 'key 2'],
      [5, 'key 3'],
    ])
    expect(run.state).toMatchObject({ phase: 'finished', totals: { asked: 25, delivered: 25, spent: 25 } })
    expect(run.state.steps.flatMap(({ contacts }) => contacts)).toHaveLength(25)
  })

  it('asks for each person once', async () => {
    const { run, calls } = runOf(0, [], { ids: ['ct_a', 'ct_a', 'ct_b'] })
    await run.start()
    expect(calls).toEqual([{ ids: ['ct_a', 'ct_b'], key: 'key 1' }])
  })

  it('started twice runs once', async () => {
    const { run, calls } = runOf(10)
    await Promise.all([run.start(), run.start()])
    await run.start()
    expect(calls).toHaveLength(1)
  })

  it('tells its listeners of each change, with a new state', async () => {
    const { run } = runOf(20)
    const seen: string[] = []
    const unsubscribe = run.subscribe(() => seen.push(run.state.steps.map(({ state }) => state).join(' ')))
    const before = run.state
    await run.start()
    unsubscribe()
    expect(seen).toEqual(expect.arrayContaining(['running waiting', 'done waiting', 'done running', 'done done']))
    expect(before).toMatchObject({ phase: 'ready', totals: { asked: 0 } })
  })
})

describe('a lost answer', () => {
  it('is tried again with the same key, with longer and longer pauses', async () => {
    const { run, calls, pauses } = runOf(15, [lost(), lost(), lost()])
    await run.start()
    expect(calls.map(({ key }) => key)).toEqual(['key 1', 'key 1', 'key 1', 'key 1', 'key 2'])
    expect(new Set(calls.slice(0, 4).map(({ ids }) => ids.join())).size).toBe(1)
    expect(pauses).toEqual([500, 1_000, 2_000])
    expect(run.state).toMatchObject({ phase: 'finished', totals: { delivered: 15 } })
  })

  it('is tried again when the service says so', async () => {
    const { run, pauses } = runOf(5, [new Error('busy')])
    await run.start()
    expect(pauses).toEqual([1_234])
  })

  it('fails after six tries; the next start continues with the same key', async () => {
    const { run, calls } = runOf(20, ['ok', ...Array.from({ length: 6 }, lost)])
    await run.start()
    expect(run.state).toMatchObject({ phase: 'failed', totals: { delivered: 10 } })
    expect((run.state.error as Error).message).toBe('lost')
    expect(calls).toHaveLength(7)
    await run.start()
    expect(calls.at(-1)).toEqual(calls[1])
    expect(run.state).toMatchObject({ phase: 'finished', error: undefined, totals: { delivered: 20 } })
  })
})

describe('an error', () => {
  it('that no retry mends ends the run, and keeps what is revealed', async () => {
    const { run, calls } = runOf(30, ['ok', new Error('refused')])
    await run.start()
    expect(calls).toHaveLength(2)
    expect(run.state.phase).toBe('failed')
    expect(run.state.steps.map(({ state }) => state)).toEqual(['done', 'failed', 'waiting'])
    expect(run.state.totals).toEqual({ asked: 10, delivered: 10, spent: 10 })
  })

  it('that says that nobody of the step can be revealed lets the others go on', async () => {
    const { run } = runOf(20, [new Error('nobody')])
    await run.start()
    expect(run.state).toMatchObject({ phase: 'finished', totals: { asked: 20, delivered: 10, spent: 10 } })
  })
})

describe('Stop', () => {
  it('ends after the step that is running, and start goes on from there', async () => {
    const { run, calls } = runOf(30)
    run.subscribe(() => run.state.steps[0]!.state === 'running' && run.stop())
    await run.start()
    expect(calls).toHaveLength(1)
    expect(run.state).toMatchObject({ phase: 'stopped', totals: { delivered: 10 } })
    await run.start()
    expect(calls.map(({ key }) => key)).toEqual(['key 1', 'key 2', 'key 3'])
    expect(run.state.phase).toBe('finished')
  })

  it('during the last step lets it finish', async () => {
    const { run } = runOf(5)
    run.subscribe(() => run.state.phase === 'running' && run.state.steps[0]!.state === 'running' && run.stop())
    await run.start()
    expect(run.state).toMatchObject({ phase: 'finished', totals: { delivered: 5 } })
  })

  it('ends the pause before another try, which is then not made', async () => {
    let isPaused = false
    const { run, calls } = runOf(20, [lost()], {
      pause: (_ms, signal) =>
        new Promise((resolve) => {
          isPaused = true
          signal.addEventListener('abort', () => resolve())
        }),
    })
    const ended = run.start()
    await expect.poll(() => isPaused).toBe(true)
    expect(run.state).toMatchObject({ phase: 'running', isRetrying: true })
    run.stop()
    await ended
    expect(calls).toHaveLength(1)
    expect(run.state.phase).toBe('failed')
  })
})
