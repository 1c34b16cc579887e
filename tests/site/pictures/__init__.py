"""The pictures of the site: icons, fonts, charts and previews."""
