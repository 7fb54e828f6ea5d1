/** What the rules need to know of a source file. Paths are those of the project, such as `server/src/program/app.ts`. */
export interface SourceFacts {
  readonly path: string
  readonly imports: ImportFact[]
  /** Names. One that is passed on from another file is no export of this one, it is an import. */
  readonly exports: string[]
  readonly calls: CallFact[]
  /** Names that are read as values, at full length: `process.env.PORT`, `fetch`. */
  readonly accesses: string[]
  /** Strings, and templates with `${}` for their expressions. */
  readonly literals: string[]
  /** Variables that hold the difference of two readings of the clock. */
  readonly durations: Set<string>
}

export interface ImportFact {
  /** `import … from`, `export … from`, `import(…)`, or `import('…').Name` in a type. */
  kind: 'static' | 'export' | 'dynamic' | 'type'
  from: string
  isTypeOnly: boolean
  /** As the other file names them; none for `*`, a default or a dynamic import. */
  names: string[]
  /** Those of them that are more than types. */
  values: string[]
}

export interface CallFact {
  /** `fetch`, `process.exit`, `expect().rejects.toThrow`. */
  name: string
  args: ArgumentFact[]
  /** The nearest call that has this one among its arguments; `new X` for a constructor. */
  within: string | undefined
  /** What becomes of the result of the whole chain. */
  context: 'awaited' | 'returned' | 'dropped' | 'used'
  /** The text inside `expect(…)`, for a call that hangs on it. */
  subject: string | undefined
}

export interface ArgumentFact {
  kind: 'number' | 'string' | 'name' | 'function' | 'other'
  /** Of text, what it says; of everything else, its source. */
  text: string
}
