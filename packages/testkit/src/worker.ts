import { type ChildProcess, fork } from 'node:child_process'
import type { Cleanup } from './cleanup.ts'

/**
 * Targets and load run in separate processes, so that none slows another's event loop. The parent sends one task at a
 * time, and the child replies with the result.
 */
export interface Worker<Task, Result> {
  call(task: Task): Promise<Result>
}

type Outcome<Result> = { result: Result } | { failure: string }

export function startWorker<Task, Result>(file: URL, cleanup: Cleanup): Worker<Task, Result> {
  const child = fork(file, { serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  cleanup.add(() => {
    child.kill('SIGTERM')
    return ended
  })
  return { call: (task) => callChild(child, task) }
}

function callChild<Task, Result>(child: ChildProcess, task: Task): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stopListening = () => {
      child.off('message', onMessage)
      child.off('exit', onExit)
    }
    const onMessage = (outcome: Outcome<Result>) => {
      stopListening()
      if ('failure' in outcome) reject(new Error(outcome.failure))
      else resolve(outcome.result)
    }
    const onExit = () => {
      stopListening()
      reject(new Error('a worker process exited before it replied'))
    }
    child.once('message', onMessage)
    child.once('exit', onExit)
    child.send(task as object, (error) => error && onExit())
  })
}

/** The child's side: handles tasks until the parent exits. */
export function serveParent<Task, Result>(work: (task: Task) => Promise<Result>): void {
  process.on('message', async (task: Task) => {
    let outcome: Outcome<Result>
    try {
      outcome = { result: await work(task) }
    } catch (error) {
      outcome = { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
    process.send?.(outcome)
  })
  // Ctrl-C reaches the whole process group; the parent decides when this process ends.
  process.on('SIGINT', () => {})
  process.once('disconnect', () => process.exit())
}
