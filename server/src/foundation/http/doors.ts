import type { FastifyContextConfig, FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { TProperties } from 'typebox'
import { ClosedObject } from '../kernel/shapes.ts'
import type { ApiRoutes } from './server.ts'

/** A place where routes are found, by callers of one kind. */
export interface Door {
  name: string
  prefix: string
  /** The parameters of the prefix. */
  params?: TProperties
  /** What of a route's schema is otherwise here. */
  schema?: FastifySchema | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The door through which the requests of this route come. */
    door?: string
  }
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/**
 * Where rooms declare their routes: each declaration, with the path that is the same everywhere, is registered behind each of its
 * doors. Handlers are shared, so that a deed is done in one way for all callers.
 */
export function openDoors(
  scope: FastifyInstance,
  doorsOf: (config: FastifyContextConfig) => readonly Door[],
): ApiRoutes {
  const declare =
    (method: string) => (path: string, options: Omit<RouteOptions, 'handler'>, handler: RouteOptions['handler']) => {
      const config = options.config ?? {}
      for (const { name, prefix, params, schema } of doorsOf(config))
        scope.route({
          ...options,
          method,
          url: prefix + path,
          handler,
          config: { ...config, door: name },
          schema: withParams({ ...options.schema, ...schema }, params),
        })
    }
  // Bodies of a type of their own, within these declarations only.
  const register = (declareMore: (api: ApiRoutes) => Promise<void>) =>
    scope.register(async (inner) => declareMore(openDoors(inner, doorsOf)))
  const addContentTypeParser = scope.addContentTypeParser.bind(scope)
  const verbs = Object.fromEntries(methods.map((method) => [method, declare(method.toUpperCase())]))
  return { ...verbs, register, addContentTypeParser } as unknown as ApiRoutes
}

function withParams(schema: FastifySchema, params: TProperties | undefined): FastifySchema {
  if (!params) return schema
  const own = (schema.params as { properties?: TProperties } | undefined)?.properties
  return { ...schema, params: ClosedObject({ ...params, ...own }) }
}
