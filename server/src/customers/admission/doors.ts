import type { FastifyContextConfig } from 'fastify'
import { Type } from 'typebox'
import type { Door } from '../../foundation/http/doors.ts'

const apiPrefix = '/api/v1'
export const consolePrefix = '/console/api'

const account = Type.String({ maxLength: 100 })

/** The doors of a route by its access: programs with a key, members of an account, users and operators. */
export function doorsOf({ access, memberSchema }: FastifyContextConfig): Door[] {
  if (!access) throw new Error('A route of the API or of the console declares config.access')
  const doors: Door[] = []
  if (access.key) doors.push({ name: 'api', prefix: apiPrefix })
  if (access.member)
    doors.push({
      name: 'member',
      prefix: `${consolePrefix}/accounts/:account`,
      params: { account },
      schema: memberSchema,
    })
  for (const name of ['person', 'operator', 'anyone'] as const)
    if (access[name]) doors.push({ name, prefix: consolePrefix })
  return doors
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What of the route's schema is otherwise for members. */
    memberSchema?: FastifySchema
  }
}
