import type { InputRequiredResult, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server'
import type { ApiCall, ToolError } from '../api-call.ts'
import type { ToolInput, ToolSchema } from '../schemas.ts'

/** The result of a tool, as text and as data. */
export interface ToolReply {
  /** Sentences of the service itself. */
  says: string[]
  /** Rows of the catalogue, from `compactValue`. */
  rows: unknown[]
  /** The same for programs; it has the tool's output schema. */
  structured: Record<string, unknown>
  /** How metrics count the call; by default `done`. */
  outcome?: 'declined'
  /** What stopped the work after the rows were done. */
  failure?: ToolError
}

/** The context of one call of a tool. */
export interface ToolContext {
  api: ApiCall
  mcp: ServerContext
  /** Whether the client of this call can ask the person who uses it. */
  canAsk: boolean
  /** Signs what the client carries from a question to its answer. */
  sealState(payload: object): Promise<string>
}

export interface Tool<Input = Record<string, unknown>> {
  name: string
  title: string
  description: string
  input: ToolInput
  /** Of `structured`, in the subset that every host takes. */
  output: ToolSchema
  annotations: ToolAnnotations
  run(ctx: ToolContext, input: Input): Promise<ToolReply | InputRequiredResult>
}

/** Annotations of a tool that changes nothing but what the account has used. */
export const readsOnly: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }
