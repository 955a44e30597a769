//! Images, which each format has in a form of its own: a URL, or data in base64.

use countersign_events::json::JsonTree;

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NeutralImage {
    /// Such as `image/png`, if the format says it or the data shows it.
    media_type: Option<String>,
    source: ImageSource,
}

/// Where the image is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ImageSource {
    Url(String),
    /// In base64.
    Data(String),
}

/// The types of parts that are images. Others are one if their media type says so.
const IMAGE_TYPES: &[&str] = &["image", "image_url", "input_image", "image-url", "image-data"];
/// The members that hold a media type.
const MEDIA_TYPES: &[&str] = &["mediaType", "media_type", "mimeType", "mime_type"];
/// The members that hold an image, or an object with it.
const SOURCES: &[&str] = &[
    "image_url",
    "image",
    "source",
    "url",
    "data",
    "base64",
    "value",
    "fileUri",
    "file_uri",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
];
/// The most objects around an image.
const MOST_LEVELS: usize = 3;
/// How the base64 of an image begins.
const BEGINNINGS: &[(&str, &str)] =
    &[("iVBOR", "image/png"), ("/9j/", "image/jpeg"), ("R0lG", "image/gif"), ("UklG", "image/webp")];

impl NeutralImage {
    /// Reads an image part of any format; `None` for another part, and for a file that only one provider has.
    pub(crate) fn read(part: &JsonTree) -> Option<Self> {
        let image = locate(part, MOST_LEVELS)?;
        let is_typed = part.text_of("type").is_some_and(|kind| IMAGE_TYPES.contains(&kind));
        let is_declared = image.media_type.as_deref().is_some_and(|kind| kind.starts_with("image/"));
        (is_declared || (is_typed && image.media_type.is_none())).then(|| image.with_media_type_of_data())
    }

    pub(crate) const fn source(&self) -> &ImageSource {
        &self.source
    }

    pub(crate) fn media_type(&self) -> &str {
        self.media_type.as_deref().unwrap_or("image/png")
    }

    /// The URL, or a `data:` URL.
    pub(crate) fn to_url(&self) -> String {
        match &self.source {
            ImageSource::Url(url) => url.clone(),
            ImageSource::Data(data) => format!("data:{};base64,{data}", self.media_type()),
        }
    }

    fn with_media_type_of_data(mut self) -> Self {
        if let (None, ImageSource::Data(data)) = (&self.media_type, &self.source) {
            let known = BEGINNINGS.iter().find(|(beginning, _)| data.starts_with(beginning));
            self.media_type = known.map(|(_, kind)| (*kind).to_owned());
        }
        self
    }
}

/// Finds the image in an object, with the media type that stands nearest to it.
fn locate(object: &JsonTree, levels: usize) -> Option<NeutralImage> {
    let declared = object.first_text_of(MEDIA_TYPES).map(str::to_owned);
    let mut image = SOURCES.iter().find_map(|key| match object.get(key)? {
        JsonTree::Text(text) => read_text(text, matches!(*key, "url" | "fileUri" | "file_uri" | "image_url")),
        inner @ JsonTree::Object(_) if levels > 0 => locate(inner, levels - 1),
        _ => None,
    })?;
    image.media_type = image.media_type.or(declared);
    Some(image)
}

/// Reads a URL, a `data:` URL, or base64.
fn read_text(text: &str, is_url: bool) -> Option<NeutralImage> {
    if let Some(rest) = text.strip_prefix("data:") {
        let (kind, data) = rest.split_once(";base64,")?;
        let (media_type, source) = (Some(kind.to_owned()), ImageSource::Data(data.to_owned()));
        return Some(NeutralImage { media_type, source });
    }
    let source = if is_url || text.contains("://") {
        ImageSource::Url(text.to_owned())
    } else {
        ImageSource::Data(text.to_owned())
    };
    Some(NeutralImage { media_type: None, source })
}

/// Takes the images out of content that is a list of parts.
pub(crate) fn take_images(content: JsonTree) -> (JsonTree, Vec<NeutralImage>) {
    let JsonTree::List(parts) = content else { return (content, Vec::new()) };
    let (mut rest, mut images) = (Vec::new(), Vec::new());
    for part in parts {
        match NeutralImage::read(&part) {
            Some(image) => images.push(image),
            None => rest.push(part),
        }
    }
    let is_empty = rest.is_empty() && !images.is_empty();
    (if is_empty { JsonTree::Null } else { rest.into() }, images)
}
