import type { Presented } from '../events/emit.ts'
import type { Desk } from '../state/database.ts'
import type { Fields, Values } from './params.ts'

type Method = 'GET' | 'POST' | 'DELETE'

/** An operation of the API: where it is, what it takes, what it does. Every one also takes `expand`. */
export interface Endpoint {
  readonly method: Method
  /** With `:name` for the ids in it. */
  readonly path: string
  readonly params: Fields
  run(desk: Desk, params: never, ids: Readonly<Record<string, string>>): Presented
}

/** Declares an endpoint, so that `run` knows what it is given. `Ids` are the names in the path. */
export function endpoint<F extends Fields, Path extends string>(declared: {
  readonly method: Method
  readonly path: Path
  readonly params: F
  run(desk: Desk, params: Values<F>, ids: Readonly<Record<IdsOf<Path>, string>>): Presented
}): Endpoint {
  return declared as unknown as Endpoint
}

type IdsOf<Path extends string> = Path extends `${string}:${infer Id}/${infer Rest}`
  ? Id | IdsOf<Rest>
  : Path extends `${string}:${infer Id}`
    ? Id
    : never
