import { fork } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { expect } from 'vitest'
import { findProjectDir } from '../../../../src/operations/config.ts'
import type { ReplicaReport, ReplicaTimings } from '../../../../src/search/replica/replica.ts'
import { temporaryFolder } from '../../../search/support/replica-world.ts'
import { atEnd } from '../../../support/cleanup.ts'
import type { DirectQuery } from './queries.ts'

export interface ProcessSettings {
  databaseUrl: string
  dataDir: string
  timings: Partial<ReplicaTimings>
  /** The constant number of live stores. */
  stores: number
}

/** Messages of such a process. */
export type ProcessMessage =
  | { kind: 'ready' }
  | { kind: 'line'; line: string; cause: string }
  | { kind: 'answers'; answers: object[][]; report: ReplicaReport | null }

type Answers = Extract<ProcessMessage, { kind: 'answers' }>

export interface SearchProcess {
  /** Resolves when the replica answers. */
  ready: Promise<void>
  /** Its log. */
  lines: string[]
  /** Answers queries at this batch or later, after comparing memory with the tables. */
  ask(batch: number, questions: readonly DirectQuery[]): Promise<Answers>
  /** Kills it; throws when it had already exited. */
  kill(): Promise<void>
}

const { resolve: resolvePackage } = createRequire(import.meta.url)
const bundleWorkspaces: Plugin = {
  name: 'bundle-workspaces',
  setup: (bundler) => bundler.onResolve({ filter: /^@storedex\// }, ({ path }) => ({ path: resolvePackage(path) })),
}

/** Bundles a program of this folder with the search thread and returns its file, so that it starts quickly. */
export async function bundle(name: string): Promise<string> {
  const projectDir = findProjectDir(import.meta.dirname)
  const folder = temporaryFolder()
  symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'))
  await build({
    absWorkingDir: projectDir,
    entryPoints: {
      [name]: join(import.meta.dirname, `${name}.ts`),
      'search-thread': 'server/src/program/bin/search-thread.ts',
    },
    outdir: folder,
    bundle: true,
    packages: 'external',
    // Node cannot run the sources of the workspace's packages.
    plugins: [bundleWorkspaces],
    splitting: true,
    format: 'esm',
    platform: 'node',
  })
  return join(folder, `${name}.js`)
}

export function startSearchProcess(program: string, settings: ProcessSettings): SearchProcess {
  const child = fork(program, [JSON.stringify(settings)], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
  })
  const lines: string[] = []
  child.stderr!.setEncoding('utf8').on('data', (text: string) => lines.push(text))
  child.on('message', (told: ProcessMessage) => {
    if (told.kind === 'line') lines.push(`${told.line} ${told.cause}`)
  })
  const closed = once(child, 'close')
  atEnd(() => child.kill('SIGKILL'))
  const kill = async () => {
    child.kill('SIGKILL')
    await closed
    expect(child.signalCode, lines.join('\n')).toBe('SIGKILL')
  }
  const next = async <K extends ProcessMessage['kind']>(kind: K): Promise<Extract<ProcessMessage, { kind: K }>> => {
    const told = new Promise<Extract<ProcessMessage, { kind: K }>>((resolve) => {
      child.on('message', (message: ProcessMessage) => {
        if (message.kind === kind) resolve(message as Extract<ProcessMessage, { kind: K }>)
      })
    })
    const early = closed.then(() => Promise.reject(new Error(`the process ended early: ${lines.join('\n')}`)))
    return Promise.race([told, early])
  }
  const ready = next('ready').then(() => {})
  // Do not wait for a process killed early.
  ready.catch(() => {})
  return {
    ready,
    lines,
    ask: (batch, questions) => {
      // Sending to an exited process fails, and its exit is reported elsewhere.
      child.send({ batch, questions }, () => {})
      return next('answers')
    },
    kill,
  }
}
