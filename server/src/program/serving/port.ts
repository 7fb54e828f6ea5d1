import { createServer } from 'node:net'
import { OperatorError } from '../../foundation/kernel/errors.ts'
import type { Config } from '../../operations/config.ts'

const nextPortsTried = 20

/** Chooses a free port: the given one or none; otherwise the default one, one of the next 20, or any free one. */
export async function chooseFreePort({ host, port, isPortGiven }: Config): Promise<number> {
  const candidates = isPortGiven ? [port] : [...Array.from({ length: nextPortsTried }, (_, i) => port + i), 0]
  for (const candidate of candidates) {
    const free = await tryPort(host, candidate)
    if (free !== undefined) return free
  }
  throw portTakenError(port)
}

export function portTakenError(port: number, setting = 'PORT'): OperatorError {
  return new OperatorError(`Port ${port} is taken: stop what listens there, or set ${setting} to another one.`)
}

/** Resolves to the port, for 0 to a free one, or to undefined when it is taken. */
function tryPort(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(new OperatorError(`Cannot listen on ${host}, port ${port}: ${reasonOf(error)}.`, { cause: error }))
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
