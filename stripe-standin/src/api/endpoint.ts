import type { RequestContext } from '../state/database.ts'
import type { ApiObject } from '../state/emit.ts'
import type { ParamSchema, ParamValues } from './params.ts'

type Method = 'GET' | 'POST' | 'DELETE'

/** An API operation. Every operation also accepts `expand`. */
export interface Endpoint {
  readonly method: Method
  /** With `:name` placeholders for ids. */
  readonly path: string
  readonly params: ParamSchema
  run(ctx: RequestContext, params: never, ids: Readonly<Record<string, string>>): ApiObject
}

/** Declares an endpoint with the types of its parameters and path ids. */
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
