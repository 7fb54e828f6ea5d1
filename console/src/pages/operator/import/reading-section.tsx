import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { failureProps } from '#api/failure.ts'
import { callQuery, pageQuery } from '#api/query.ts'
import { Button } from '#ui/actions/button.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { SkeletonRows, useDelayed } from '#ui/feedback/skeleton.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import type { ImportOptions, ImportPreview, ImportRow } from '../api.ts'
import { OperatorSection } from '../facts.tsx'
import { ColumnMapping } from './column-mapping.tsx'
import { FirstRows } from './first-rows.tsx'
import { ReadOptions } from './read-options.tsx'
import { asksForSheet, describeProblems, describeSuggestion } from './sentences.ts'
import { SheetChoice } from './sheet-choice.tsx'

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
  // Kept when a preview fails, so that the option that it fails with can be changed.
  const [last, setLast] = useState<ImportPreview>()
  if (data && data !== last) setLast(data)
  const asksSheet = data !== undefined && asksForSheet(data)
  const suggestion = data ? describeSuggestion(data) : null
  const problems = suggestion ? [suggestion.problem] : data ? describeProblems(data, fields.data?.fields ?? []) : []
  const reason = data ? problems[0] : 'The first rows are not read yet.'
  return (
    <>
      {last && last.sheets.length > 0 && (
        <SheetChoice
          sheets={last.sheets}
          value={sheetOf(last, options)}
          // The other options are about the columns of the sheet before.
          onChange={(sheet) => change({ sheet, map: undefined, header_row: undefined, no_header: undefined })}
        />
      )}
      <ReadOptions job={job} options={options} preview={last} onChange={change} />
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
          {problems.length > 0 && !asksSheet && (
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
          {!asksSheet && (
            <OperatorSection title="First rows" description="As an import would read them.">
              <FirstRows preview={data} isOutdated={isOutdated} />
            </OperatorSection>
          )}
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

/** The sheet that is chosen, also before its rows have come; a run that was not of this page may name it by its number. */
function sheetOf({ sheet, sheets }: ImportPreview, options: ImportOptions): string | null {
  const isName = sheets.some(({ name }) => name === options.sheet)
  return isName ? options.sheet! : sheet
}

function withoutMissing(options: ImportOptions): ImportOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
