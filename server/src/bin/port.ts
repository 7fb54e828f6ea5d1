import { createServer } from 'node:net'
import type { Config } from '../config.ts'
import { OperatorError } from '../kernel/errors.ts'

const neighboursTried = 20

/**
 * A port that can be listened on now: the one that was given or none; else the default one, its neighbours, or whichever
 * the system has.
 */
export async function chooseFreePort({ host, port, isPortGiven }: Config): Promise<number> {
  const candidates = isPortGiven ? [port] : [...Array.from({ length: neighboursTried }, (_, i) => port + i), 0]
  for (const candidate of candidates) {
    const free = await tryPort(host, candidate)
    if (free !== undefined) return free
  }
  throw portTakenError(port)
}

export function portTakenError(port: number, setting = 'PORT'): OperatorError {
  return new OperatorError(`Port ${port} is taken: stop what listens there, or set ${setting} to another one.`)
}

/** The port itself, or one of the system's choice for 0; undefined when it is taken. */
function tryPort(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(new OperatorError(`It cannot listen on ${host}, port ${port}: ${reasonOf(error)}.`, { cause: error }))
    })
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address()
      const found = typeof address === 'object' ? address?.port : undefined
      probe.close(() => resolve(found))
    })
  })
}

const reasons: Record<string, string> = {
  EACCES: 'this port is for privileged users',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'the host is not known',
}

function reasonOf(error: NodeJS.ErrnoException): string {
  return reasons[error.code ?? ''] ?? error.message
}
