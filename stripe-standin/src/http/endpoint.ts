import type { ApiObject } from '../events/emit.ts'
import type { RequestContext } from '../state/database.ts'
import type { ParamSchema, ParamValues } from './params.ts'

type Method = 'GET' | 'POST' | 'DELETE'

/** An operation of the API: where it is, what it takes, what it does. Every one also takes `expand`. */
export interface Endpoint {
  readonly method: Method
  /** With `:name` for the ids in it. */
  readonly path: string
  readonly params: ParamSchema
  run(ctx: RequestContext, params: never, ids: Readonly<Record<string, string>>): ApiObject
}

/** Declares an endpoint, so that `run` knows what it is given. `Ids` are the names in the path. */
export function defineEndpoint<F extends ParamSchema, Path extends string>(declared: {
  readonly method: Method
  readonly path: Path
  readonly params: F
  run(ctx: RequestContext, params: ParamValues<F>, ids: Readonly<Record<PathIds<Path>, string>>): ApiObject
}): Endpoint {
  return declared as unknown as Endpoint
}

type PathIds<Path extends string> = Path extends `${string}:${infer Id}/${infer Rest}`
  ? Id | PathIds<Rest>
  : Path extends `${string}:${infer Id}`
    ? Id
    : never
