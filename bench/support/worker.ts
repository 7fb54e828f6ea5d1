import { type ChildProcess, fork } from 'node:child_process'
import type { Cleanup } from './cleanup.ts'

/**
 * Subjects and load each run in a process of their own, so that none slows another's event loop. The parent asks, one
 * question at a time, and the child answers.
 */
export interface Worker<Question, Answer> {
  ask(question: Question): Promise<Answer>
}

type Outcome<Answer> = { answer: Answer } | { failure: string }

export function startWorker<Question, Answer>(file: URL, cleanup: Cleanup): Worker<Question, Answer> {
  const child = fork(file, { serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  cleanup.add(() => {
    child.kill('SIGTERM')
    return ended
  })
  return { ask: (question) => askChild(child, question) }
}

function askChild<Question, Answer>(child: ChildProcess, question: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stopListening = () => {
      child.off('message', onMessage)
      child.off('exit', onExit)
    }
    const onMessage = (outcome: Outcome<Answer>) => {
      stopListening()
      if ('failure' in outcome) reject(new Error(outcome.failure))
      else resolve(outcome.answer)
    }
    const onExit = () => {
      stopListening()
      reject(new Error('a process of the bench ended before it answered'))
    }
    child.once('message', onMessage)
    child.once('exit', onExit)
    child.send(question as object, (error) => error && onExit())
  })
}

/** The child's side: answers every question until the parent is gone. */
export function answerParent<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  process.on('message', async (question: Question) => {
    let outcome: Outcome<Answer>
    try {
      outcome = { answer: await answer(question) }
    } catch (error) {
      outcome = { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
    process.send?.(outcome)
  })
  // Ctrl-C reaches the whole group; when this process ends is the parent's to say.
  process.on('SIGINT', () => {})
  process.once('disconnect', () => process.exit())
}
