-- The history of one approver, in the order in which asks ended.
create index inbox_ended_order on ask_approvers (tenant, approver, coalesce(ended_at, raised_at), ask_id) where is_open = 0;
