-- Versions of a workflow are listed, compared and restored: each has a number, an author, a summary of its changes, and the
-- settings of the workflow that runs do not need and that are therefore not part of its definition. Versions that were saved
-- before have no author and no such settings.
alter table workflow_versions
  add column number integer,
  add column created_by uuid,
  add column summary text not null default '',
  add column settings jsonb;

update workflow_versions v set number = n.number
from (select id, row_number() over (partition by workflow_id order by created_at, id) as number from workflow_versions) n
where n.id = v.id;

alter table workflow_versions alter column number set not null;
drop index workflow_versions_workflow;
create unique index workflow_versions_number on workflow_versions (workflow_id, number);
