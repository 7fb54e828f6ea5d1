import { useQuery } from '@tanstack/react-query'
import { failureProps } from '#api/failure.ts'
import { callQuery, pageQuery } from '#api/query.ts'
import { Button } from '#ui/actions/button.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { SkeletonRows, useDelayed } from '#ui/feedback/skeleton.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import type { ImportField, ImportOptions, ImportPreview, ImportRow } from '../api.ts'
import { OperatorSection } from '../facts.tsx'
import { ColumnMapping } from './column-mapping.tsx'
import { FirstRows } from './first-rows.tsx'
import { ReadOptions } from './read-options.tsx'

interface ReadingSectionProps {
  job: ImportRow
  options: ImportOptions
  onChange: (options: ImportOptions) => void
  onRun: (run: 'check' | 'import') => void
  /** The requested options, until the reply arrives. */
  pending: 'check' | 'import' | null
}

/** How the file is read: its columns, its first rows, and the buttons that go on. */
export function ReadingSection({ job, options, onChange, onRun, pending }: ReadingSectionProps) {
  // The options that change how the first rows are read.
  const { on_bad_value: _drop, ...read } = options
  const preview = useQuery({
    ...pageQuery('previewImport', { id: String(job.id), body: { options: read } }),
    staleTime: Number.POSITIVE_INFINITY,
    // Personal data is not kept longer than it is looked at.
    gcTime: 0,
  })
  const fields = useQuery({
    ...callQuery('listImportFields', { kind: job.kind }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const isLoading = useDelayed(!preview.data)
  const isOutdated = useDelayed(preview.isPlaceholderData)
  const change = (changes: Partial<ImportOptions>) => onChange(withoutMissing({ ...options, ...changes }))
  const data = preview.data
  const suggestion = data ? describeSuggestion(data) : null
  const problems = suggestion ? [suggestion.problem] : data ? describeProblems(data, fields.data?.fields ?? []) : []
  const reason = data ? problems[0] : 'The first rows are not read yet.'
  return (
    <>
      <ReadOptions job={job} options={options} preview={data} onChange={change} />
      {preview.error && (
        <ErrorState
          {...failureProps(preview.error)}
          onRetry={() => void preview.refetch()}
          isRetrying={preview.isFetching}
        />
      )}
      {!data && !preview.error && isLoading && <SkeletonRows rows={6} />}
      {data && !preview.error && (
        <>
          {problems.length > 0 && (
            <Banner
              tone="warning"
              actions={suggestion && <Button onPress={() => change(suggestion.options)}>{suggestion.action}</Button>}
            >
              <ul>
                {problems.map((problem) => (
                  <li key={problem}>{problem}</li>
                ))}
              </ul>
            </Banner>
          )}
          {data.notices.length > 0 && (
            <Banner>
              <ul>
                {data.notices.map(({ field, reason }) => (
                  <li key={`${field} ${reason}`}>{`${field}: ${reason}.`}</li>
                ))}
              </ul>
            </Banner>
          )}
          {data.columns.length > 0 && (
            <OperatorSection
              title="Columns"
              description="What each column of the file is. The examples are from the first rows."
            >
              <ColumnMapping
                columns={data.columns}
                fields={fields.data?.fields ?? []}
                isOutdated={isOutdated}
                onMap={(changes) => change({ map: { ...options.map, ...changes } })}
              />
            </OperatorSection>
          )}
          <OperatorSection title="First rows" description="As an import would read them.">
            <FirstRows preview={data} isOutdated={isOutdated} />
          </OperatorSection>
        </>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          variant={job.report ? 'secondary' : 'primary'}
          isPending={pending === 'check'}
          disabledReason={reason}
          onPress={() => onRun('check')}
        >
          Check the file
        </Button>
        <Button
          variant={job.report ? 'primary' : 'secondary'}
          isPending={pending === 'import'}
          disabledReason={reason}
          onPress={() => onRun('import')}
        >
          Import
        </Button>
      </div>
    </>
  )
}

/** Offers for a file whose heading is not in its first line. */
function describeSuggestion({
  suggestion,
}: ImportPreview): { problem: string; action: string; options: Partial<ImportOptions> } | null {
  if (suggestion?.header_row != null) {
    const line = suggestion.header_row
    return {
      problem: `The first line is no heading. Line ${line} looks like it.`,
      action: `Take line ${line} as the heading`,
      options: { header_row: line },
    }
  }
  if (suggestion?.no_header == null) return null
  return {
    problem: 'The first line looks like a record: the file seems to have no heading.',
    action: 'Read it without a heading',
    options: { no_header: suggestion.no_header },
  }
}

/** The faults of the columns, in words for this page; the server's name the command. */
function describeProblems({ columns, problems }: ImportPreview, fields: readonly ImportField[]): string[] {
  const chosen = columns.flatMap(({ field }) => field ?? [])
  const twice = [...new Set(chosen.filter((field, index) => chosen.indexOf(field) < index))]
  const missing = columns.length === 0 ? [] : fields.filter(({ name, required }) => required && !chosen.includes(name))
  const own = [
    ...missing.map(({ name }) => `No column is the field ${name}, without which no record is known. Choose it below.`),
    ...twice.map((field) => `Several columns are the field ${field}. Ignore all but one.`),
    ...(columns.some(({ how }) => how === 'unknown') ? ['Choose a field for every column, or ignore it.'] : []),
  ]
  return own.length > 0 ? own : problems
}

function withoutMissing(options: ImportOptions): ImportOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
