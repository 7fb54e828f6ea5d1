-- Exports as workbooks: what a process needs to continue one, or to complete it when its export ends.

alter table exports add column workbook jsonb;

comment on column exports.workbook is
  'Of a file that is a workbook: its sheets so far, with checksums and sizes; null for other formats, and at the end.';
comment on column exports.sha256 is 'Of the file as it would be if the export ended now; so an export can be ended at any time without reading its pieces.';
