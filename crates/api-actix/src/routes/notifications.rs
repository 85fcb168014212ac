//! Notifications of the caller, and their settings.
use super::ServiceConfig;
use crate::Api;
use crate::answer::error::ApiError;
use crate::answer::{Answered, done, ok};
use crate::request::if_match::{IfMatch, IfShown};
use crate::request::paging::{Paging, PagingParams};
use crate::request::{Body, Query};
use crate::state::caller::Caller;
use crate::wire::notification::{
    Notification, NotificationList, NotificationParams, NotificationSettings, ReadNotifications,
    SpaceNotificationSettings, UpdateNotification, UpdateNotificationSettings, UpdateSpaceNotificationSettings, level,
    notification, settings,
};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, get, patch, post, put};
use domain::id::{NotificationId, SpaceId};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(list_notifications).service(read_notifications);
    config.service(get_notification).service(update_notification);
    config.service(get_settings).service(update_settings).service(get_level).service(update_level);
}

/// List the caller's notifications
///
/// Omits notifications of spaces whose discussions the caller may no longer see, and notifications about webhooks of
/// organizations that the caller no longer administers.
#[utoipa::path(tag = "notifications", operation_id = "listUserNotifications", params(NotificationParams, PagingParams),
    responses((status = 200, description = "Notifications, newest first", body = NotificationList)))]
#[get("/user/notifications")]
async fn list_notifications(
    api: Data<Api>,
    caller: Caller,
    params: Query<NotificationParams>,
    paging: Paging,
) -> Answered {
    let found = api.services.notifications.list(&caller, paging.newest_first_with(params)).await?;
    ok(&paging.list(found, |shown| notification(shown, &api.links)))
}

/// Mark notifications as read
///
/// Marks all notifications of the caller, or one and all older ones; those that the list leaves out stay unread.
#[utoipa::path(tag = "notifications", operation_id = "readUserNotifications", request_body = Option<ReadNotifications>,
    responses((status = 204, description = "The notifications are read")))]
#[post("/user/notifications/read")]
async fn read_notifications(
    api: Data<Api>,
    caller: Caller,
    body: Body<ReadNotifications>,
) -> Result<HttpResponse, ApiError> {
    api.services.notifications.read_all(&caller, body.input_or_default()).await?;
    Ok(done())
}

/// Get one of the caller's notifications
#[utoipa::path(tag = "notifications", operation_id = "getUserNotificationById",
    params(("notificationId" = String, Path)),
    responses((status = 200, description = "The notification", body = Notification)))]
#[get("/user/notifications/{notificationId}")]
async fn get_notification(api: Data<Api>, caller: Caller, path: Path<NotificationId>) -> Answered {
    ok(&notification(api.services.notifications.get(&caller, &path).await?, &api.links))
}

/// Mark one of the caller's notifications as read or unread
#[utoipa::path(tag = "notifications", operation_id = "updateUserNotificationById",
    params(("notificationId" = String, Path), IfShown), request_body = UpdateNotification,
    responses((status = 200, description = "The notification", body = Notification)))]
#[patch("/user/notifications/{notificationId}")]
async fn update_notification(
    api: Data<Api>,
    caller: Caller,
    path: Path<NotificationId>,
    body: Body<UpdateNotification>,
    wanted: IfMatch,
) -> Answered {
    let wanted = wanted.shown(&api, notification);
    let changed = api.services.notifications.update(&caller, &path, wanted, body.input()).await?;
    ok(&notification(changed, &api.links))
}

/// Get the caller's notification settings
///
/// Mentions, replies, requests for reviews and notifications about webhooks are also sent by e-mail.
#[utoipa::path(tag = "notifications", operation_id = "getUserNotificationSettings",
    responses((status = 200, description = "The settings", body = NotificationSettings)))]
#[get("/user/notification-settings")]
async fn get_settings(api: Data<Api>, caller: Caller) -> Answered {
    ok(&settings(api.services.notifications.settings(&caller).await?, &api.links))
}

/// Update the caller's notification settings
#[utoipa::path(tag = "notifications", operation_id = "updateUserNotificationSettings", params(IfShown),
    request_body = UpdateNotificationSettings,
    responses((status = 200, description = "The settings", body = NotificationSettings)))]
#[patch("/user/notification-settings")]
async fn update_settings(
    api: Data<Api>,
    caller: Caller,
    body: Body<UpdateNotificationSettings>,
    wanted: IfMatch,
) -> Answered {
    let wanted = wanted.shown(&api, settings);
    ok(&settings(api.services.notifications.update_settings(&caller, wanted, body.input()).await?, &api.links))
}

/// Get the caller's notification level for a space
#[utoipa::path(tag = "notifications", operation_id = "getSpaceNotificationSettings",
    params(("spaceId" = String, Path)),
    responses((status = 200, description = "The level that applies", body = SpaceNotificationSettings)))]
#[get("/spaces/{spaceId}/notification-settings")]
async fn get_level(api: Data<Api>, caller: Caller, path: Path<SpaceId>) -> Answered {
    ok(&level(api.services.notifications.level(&caller, &path).await?, &api.links))
}

/// Set the caller's notification level for a space
#[utoipa::path(tag = "notifications", operation_id = "updateSpaceNotificationSettings",
    params(("spaceId" = String, Path), IfShown), request_body = UpdateSpaceNotificationSettings,
    responses((status = 200, description = "The level that applies", body = SpaceNotificationSettings)))]
#[put("/spaces/{spaceId}/notification-settings")]
async fn update_level(
    api: Data<Api>,
    caller: Caller,
    path: Path<SpaceId>,
    body: Body<UpdateSpaceNotificationSettings>,
    wanted: IfMatch,
) -> Answered {
    let wanted = wanted.shown(&api, level);
    ok(&level(api.services.notifications.set_level(&caller, &path, wanted, body.input()).await?, &api.links))
}
