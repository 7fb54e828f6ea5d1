import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { QueueRunner } from '../../../src/foundation/runtime/queue-runner.ts'

const never = 3_600_000

/** A runner whose looks end when they are told to. */
function startRunner(take = async () => {}) {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg) })
  const look = vi.fn(take)
  const queue = new QueueRunner({ log, take: { run: look, intervalMs: never, outage: 'cannot look' }, upkeep: [] })
  return { queue, look, lines }
}

/** A promise, and what resolves it. */
function gate(): { passed: Promise<void>; open: () => void } {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

test('one look runs at a time, and any number of wakes meanwhile makes one more', async () => {
  const { passed, open } = gate()
  const { queue, look } = startRunner(() => passed)
  for (let wake = 0; wake < 5; wake++) queue.wake()
  expect(look).toHaveBeenCalledTimes(1)
  open()
  await expect.poll(() => look.mock.calls.length).toBe(2)
  await queue.close()
  expect(look).toHaveBeenCalledTimes(2)
})

test('a look that fails is logged once and ends nothing', async () => {
  const { queue, look, lines } = startRunner(() => Promise.reject(new Error('away')))
  await expect.poll(() => lines).toEqual(['cannot look'])
  queue.wake()
  await expect.poll(() => look.mock.calls.length).toBe(2)
  await queue.close()
  expect(lines).toEqual(['cannot look'])
})

test('closing waits for the look and then for the jobs, and then ends what is left', async () => {
  const [looking, job] = [gate(), gate()]
  const { queue } = startRunner(() => looking.passed)
  const steps: string[] = []
  const closed = queue
    .close({
      running: () => job.passed.then(() => steps.push('jobs ended')),
      kill: async () => steps.push('killed'),
    })
    .then(() => steps.push('closed'))
  expect(queue.stopping.aborted).toBe(true)
  looking.open()
  job.open()
  await closed
  expect(steps).toEqual(['jobs ended', 'killed', 'closed'])
})

test('nothing is taken after it has been stopped', async () => {
  const { queue, look } = startRunner()
  await expect.poll(() => look.mock.calls.length).toBe(1)
  queue.stop()
  queue.wake()
  await queue.close()
  expect(look).toHaveBeenCalledTimes(1)
})
