import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { expect } from 'vitest'

/** The living child processes of a process, by its number. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) && parentOf(name) === pid ? [Number(name)] : []))
}

function parentOf(pid: string): number | undefined {
  try {
    // After the name, which may contain anything but ends with the last parenthesis: state and parent.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return state === 'Z' ? undefined : Number(parent)
  } catch {
    return undefined
  }
}

/** The workers of a supervisor: its children that carry that name. */
export function workersOf(supervisor: number): number[] {
  return childrenOf(supervisor).filter((pid) => /^storedex worker/.test(titleOf(pid)))
}

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

export function isAlive(pid: number): boolean {
  return parentOf(String(pid)) !== undefined
}

interface Reply {
  status: number
  body: string
}

/** One request; rejects when the connection breaks. Nothing is tried again. */
export function send(
  url: string,
  { agent, key, body }: { agent: Agent | false; key?: string; body?: unknown },
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const call = request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST' }, (reply) => {
      let text = ''
      reply.setEncoding('utf8')
      reply.on('data', (part: string) => {
        text += part
      })
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: text }))
      reply.on('error', reject)
    })
    call.on('error', reject)
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

export interface LoadResult {
  ok: number
  failed: string[]
}

/**
 * Sends requests on kept connections until `stop`, each as soon as the one before was answered: half of the clients keep their
 * connection, half open one for each request.
 */
export function startLoad(url: string, options: { key: string; clients: number; body?: unknown }) {
  const result: LoadResult = { ok: 0, failed: [] }
  let isStopped = false
  const run = async (index: number) => {
    const agent = index % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : false
    while (!isStopped) {
      try {
        const { status } = await send(url, { agent, key: options.key, body: options.body })
        if (status === 200) result.ok++
        else result.failed.push(String(status))
      } catch (error) {
        result.failed.push((error as NodeJS.ErrnoException).code ?? String(error))
      }
    }
    if (agent) agent.destroy()
  }
  const running = Promise.all(Array.from({ length: options.clients }, (_, index) => run(index)))
  return {
    result,
    /** Resolves when so many more requests were answered. */
    untilAnswered: async (more: number) => {
      const wanted = result.ok + more
      await expect.poll(() => result.ok, { timeout: 120_000 }).toBeGreaterThanOrEqual(wanted)
    },
    stop: async (): Promise<LoadResult> => {
      isStopped = true
      await running
      return result
    },
  }
}
