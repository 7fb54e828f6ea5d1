import { type TProperties, type TSchema, Type } from 'typebox'

/** An ISO 8601 moment with time and offset. */
export const Moment = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-01T00:00:00.000Z'] })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** A closed object: what it does not name is refused in a request and cannot leave in a reply. */
export const Closed = <T extends TProperties>(properties: T, options: { description?: string } = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false })

export const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const RequestId = Type.String({
  description: 'Names this reply; equal to the X-Request-Id header.',
  examples: ['req_8fK2mXo3QpLr7TzV1aBc'],
})
